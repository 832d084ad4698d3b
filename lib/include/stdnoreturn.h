// <stdnoreturn.h>.
#pragma once
#define noreturn _Noreturn
