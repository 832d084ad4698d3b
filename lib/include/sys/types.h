// <sys/types.h>.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <time.h>
