// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Films as AVI or MP4, by OpenCV's VideoWriter. AVI is Motion JPEG by OpenCV itself, so it is
// always there; MP4 (H.264, or MPEG-4 where that is missing) needs an OpenCV with FFmpeg. No OpenCV
// type here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "core/imaging/codecs/Image.h"

namespace headlight {

class MovingFilm {
 public:
  /// `path` ends in .avi or .mp4; `rate`: frames in a second, above 0. Nothing is written before
  /// the first frame.
  MovingFilm(std::filesystem::path path, double rate);
  ~MovingFilm();

  /// All of the size of the first one (of H.264 and MPEG-4 an odd last row or column is left out).
  /// Throws Failure: Io where it cannot be written, UnsupportedFile where this OpenCV cannot.
  void add(const Image& frame);
  /// Ends the file and reads it back, since the writer says nothing of a full disk. Throws Failure
  /// (Io) where frames are missing in it. Nothing was added: no file.
  void finish();
  /// "Motion JPEG", "H.264", "MPEG-4"; empty before the first frame.
  const std::string& coding() const;

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
