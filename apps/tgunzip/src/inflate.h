// The deflate format, RFC 1951.
#pragma once
#include "stream.h"

// Inflates one stream of blocks up to and with the final one. The source is left at the
// byte behind it. Throws Bad_data when the input is not deflate data.
void inflate(struct source @in, struct sink @out);
