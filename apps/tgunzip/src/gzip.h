// The gzip format, RFC 1952.
#pragma once
#include "stream.h"

// Inflates every member of the input. The result is false when something that isn't a
// member follows the last one (zeros, as on tapes, are no matter). Throws Bad_data, Io_failure.
bool gunzip(struct source @in, struct sink @out);
