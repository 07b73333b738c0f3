// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/Program.h"
#include "core/base/Streams.h"

int main(int count, char** arguments) {
  headlight::leave(headlight::cli::runProgram(count, arguments));
}
