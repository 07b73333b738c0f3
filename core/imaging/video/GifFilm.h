// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Films as animated GIF (GIF89a, CompuServe 1990), which every browser and slide program plays:
// 256 colors a frame, chosen for that frame, played in a loop.

#include <memory>
#include <string>

#include "core/imaging/codecs/Image.h"

namespace headlight {

class GifFilm {
 public:
  /// Each frame is shown for `seconds`, at least a fiftieth of one: players take less for a tenth.
  explicit GifFilm(double seconds);
  ~GifFilm();

  /// The first frame says how large the film is; of a later one that is larger the rest is cut off,
  /// and around a smaller one it is white. Failure (InvalidArgument): empty, or a side above
  /// 65,535.
  void add(const Image& frame);
  /// The file; empty where there was no frame. Nothing can be added behind it.
  std::string finish();

 private:
  int m_hundredths;
  int m_width = 0, m_height = 0;
  struct Encoder;
  std::unique_ptr<Encoder> m_encoder;  ///< none before the first frame
};

}  // namespace headlight
