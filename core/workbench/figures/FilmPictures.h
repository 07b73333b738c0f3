// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The pictures of a film of maps, with their captions. Internal to VideoFilm.

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

class FilmPictures {
 public:
  FilmPictures(std::string name, const VideoFilmOptions& options)
      : m_name(std::move(name)), m_options(options) {}

  /// What is said in all of them; to be called with a look before its picture is made.
  void readWords(const InferenceResult& look);

  /// How a map is drawn, and how the maps of all shots are drawn together.
  DrawnMap drawn(const std::vector<float>& values, bool isSigned) const;
  DrawnMap drawnTogether(const std::vector<Shot>& shots) const;

  /// Every frame is of one size. `view`: the frame as the model saw it.
  Image of(const Shot& shot, const Image& view, const DrawnMap& drawn) const;

 private:
  std::string title(const FilmedFrame& frame) const;
  std::string footnote(const FilmedMap& map, const DrawnMap& drawn) const;

  std::string m_name, m_words;
  VideoFilmOptions m_options;
};

}  // namespace headlight
