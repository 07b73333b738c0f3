// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Settings of OpenCV's videoio before it is used. Inside core/imaging.

#include <mutex>
#include <string>

namespace headlight {

/// That OpenCV and FFmpeg print nothing: what they say quotes the file, escapes and all. Once;
/// later calls do nothing.
void prepareVideoIo();

/// While it lives, whatever OpenCV opens is read by that one demuxer of FFmpeg, and FFmpeg opens
/// files alone, none that a container names. Others who want the same wait.
class DemuxerLimit {
 public:
  explicit DemuxerLimit(const std::string& demuxer);

 private:
  std::unique_lock<std::mutex> m_turn;
};

}  // namespace headlight
