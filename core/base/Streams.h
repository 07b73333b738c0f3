// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What has to be done before anything is read or written, and after all of it.

namespace headlight {

/// To be called first in main(). Standard streams that the program was started without are opened
/// on /dev/null: else the next file gets their number, and messages land in it. A file that may not
/// grow (ulimit -f) is an error of the write, not the end of the program.
void prepareStreams();

/// Ends the program. What was written goes out; what libraries would take down goes with the process:
/// LibTorch's operators, one by one, are a seventh of the time of a short command.
[[noreturn]] void leave(int exitCode);

}  // namespace headlight
