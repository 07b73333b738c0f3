// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A stroke of the brush over cells: seen at once, one step to undo.

#include <vector>

#include "core/masks/HeadMask.h"
#include "core/masks/HeadPlace.h"

namespace headlight {

class Document;

class BrushStroke {
 public:
  explicit BrushStroke(Document* document) : m_document(document) {}

  void begin(const HeadMask& mask);
  void end() { m_number = kNone; }
  bool isGoingOn() const { return m_number != kNone; }
  /// Whether these are other cells than those it painted last.
  bool isNews(const std::vector<HeadPlace>& cells) const { return cells != m_last; }
  /// `cells` are what the mouse is on, `maskable` those of them that get the mask.
  void paint(const std::vector<HeadPlace>& cells, const std::vector<HeadPlace>& maskable);

 private:
  static constexpr int kNone = -1;

  Document* m_document;
  int m_number = kNone;
  HeadMask m_mask;
  std::vector<HeadPlace> m_last;
};

}  // namespace headlight
