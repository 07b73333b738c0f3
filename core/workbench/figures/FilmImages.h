// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The images of a film of maps, with their captions. Internal to VideoFilm.

#include <string>
#include <vector>

#include "core/workbench/figures/VideoFilm.h"

namespace headlight {

/// What is asked of a film that cannot be; throws Failure.
[[noreturn]] void refuseFilming(const std::string& message, const std::string& where);

/// A frame that was looked at, without its pixels.
struct Shot {
  FilmedFrame frame;
  FilmedMap map;
};

class FilmImages {
 public:
  FilmImages(std::string name, const VideoFilmOptions& options)
      : m_name(std::move(name)), m_options(options) {}

  /// What is said in all of them; to be called with a result before its image is made.
  void readWords(const InferenceResult& inference);

  /// How a map is drawn, and how the maps of all shots are drawn together.
  DrawnMap drawn(const std::vector<float>& values, bool isSigned) const;
  DrawnMap drawnTogether(const std::vector<Shot>& shots) const;

  /// Every frame is of one size. `view`: of the frame what the model saw, in its own pixels.
  Image of(const Shot& shot, const Image& view, const DrawnMap& drawn) const;

 private:
  std::string title(const FilmedFrame& frame) const;
  std::string footnote(const FilmedMap& map, const DrawnMap& drawn) const;

  std::string m_name, m_words;
  VideoFilmOptions m_options;
};

}  // namespace headlight
