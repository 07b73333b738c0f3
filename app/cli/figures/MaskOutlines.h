// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// --mask-outline: what each head's mask lets the query look at, over the images of `attend`.

#include <string>

#include "app/cli/figures/AttendImages.h"
#include "core/workbench/session/MaskSight.h"

namespace headlight::cli {

class MaskOutlines {
 public:
  /// All three outlive it. Does nothing where the style wants no outlines.
  MaskOutlines(const Scene& scene, const Query& query, const ImageStyle& style)
      : m_scene(scene), m_query(query), m_style(style) {}

  /// `image` with the outline of this head's mask.
  Image over(const Image& image, int layer, int head);
  /// What a footnote says of the outlines that were drawn.
  std::string footnote() const;
  /// What the mask of one head does, for its own image.
  std::string text(int layer, int head) const;

 private:
  MaskSight sight(int layer, int head) const;

  const Scene& m_scene;
  const Query& m_query;
  const ImageStyle& m_style;
  bool m_drawn = false;
};

}  // namespace headlight::cli
