// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What has to be set up before anything is read or written.

namespace headlight {

/// To be called first in main(). Standard streams that the program was started without are opened
/// on /dev/null: else the next file gets their number, and messages land in it. A file that may not
/// grow (ulimit -f) is an error of the write, not the end of the program.
void prepareStreams();

}  // namespace headlight
