// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A film that is written frame by frame: GIF, AVI, MP4 or a folder of PNG, by the path's ending.
// Until it is finished nothing stands at its path, and what is not finished is taken away again.

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"

namespace headlight {

enum class FilmFormat { Gif, Avi, Mp4, Images };

/// By the ending; a path without one is a folder. Errors (InvalidArgument): another ending.
Result<FilmFormat> findFilmFormat(const std::filesystem::path& path);

class FilmFile {
 public:
  /// Each frame is shown for `seconds`: 0.001 to 60; a GIF rounds that to hundredths, a fiftieth at
  /// least. Errors: those of findFilmFormat(), a length out of these, a folder that is not empty.
  static Result<std::unique_ptr<FilmFile>> create(const std::filesystem::path& path,
                                                  double seconds);
  /// Takes away what was not finished; of a folder its new images, and it where it was made.
  ~FilmFile();

  /// The first frame says how large the film is; of a later one that is larger the rest is cut off,
  /// and around a smaller one it is white. Errors: an empty frame, Io, UnsupportedFile.
  Result<void> add(const Image& frame);
  /// How many frames are in it. Errors: Io; InvalidArgument where there is none: no file then.
  Result<int> finish();

  FilmFormat format() const;
  /// "GIF", "Motion JPEG in AVI", "H.264 in MP4", "PNG".
  std::string coding() const;

 private:
  FilmFile();
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
