// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a column of a figure page shows, as people type it:
//   image                          what the model sees; before: picture
//   head 3.1                         attention of head 1 in layer 3, both from 0
//   layer 3, or head 3               the mean of layer 3's heads
//   rollout
//   boxes, segments                what a detector or a segmenter finds, drawn over the image
//   relevance, grad-cam, similarity, feature-pca and other explanations (Explanations.h), no curves
// and in brackets, with semicolons: head 3.1 (query 2,4); grad-cam (class tabby; layer 5);
// feature-pca (foreground); each also (label any words).

#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/masks/Grid.h"

namespace headlight {

struct PageColumn {
  /// image | head | layer | rollout | boxes | segments | an explanation's name
  std::string shows = "image";
  int layer = -1;           ///< of an explanation −1: the last
  int head = -1;            ///< of "head" alone
  std::string classText;    ///< empty: the page's
  std::string query;        ///< empty: the page's
  bool foreground = false;  ///< of colors
  std::string label;        ///< its heading; empty: made from what it shows
  bool operator==(const PageColumn&) const = default;

  bool isAttention() const { return shows == "head" || shows == "layer"; }
  /// An explanation that is colors.
  bool isColors() const;
  /// What a model finds, over the image.
  bool isFound() const { return shows == "boxes" || shows == "segments"; }
  bool isMap() const { return shows != "image" && !isFound() && !isColors(); }
};

/// Errors (InvalidArgument): another word, with those that come close; an option that it lacks.
Result<PageColumn> pageColumnFromText(const std::string& text);
/// Separated by commas outside brackets.
Result<std::vector<PageColumn>> pageColumnsFromText(const std::string& text);
/// As pageColumnFromText() reads it, without the label.
std::string toText(const PageColumn& column);
/// Everything that a column may show, for help and messages: "image", "head L.H", …
std::vector<std::string> pageColumnWords();

/// "class", "distillation", "register1", a patch ("17") or "row,column"; empty: the class token,
/// or the middle patch where there is none. Errors: InvalidArgument.
Result<int> tokenFromText(const std::string& text, const Grid& grid);

}  // namespace headlight
