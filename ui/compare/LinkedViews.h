// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Links the views of several documents: a change in one is applied to the others, each within its
// own grid, layers and heads.

#include <QObject>

#include <array>
#include <optional>

#include "ui/document/Document.h"
#include "ui/document/DocumentReference.h"

namespace headlight {

class LinkedViews : public QObject {
  Q_OBJECT
 public:
  /// The sides start with the view of `window`. All outlive it.
  LinkedViews(Document* window, Document* left, Document* right, QObject* parent);

  /// Unlinked, `left` has its own layer, head and token; display options stay shared.
  void setLinked(bool linked);
  /// Unlinked: the layer, head and token of `left`, kept for its next models; linked: empty.
  const std::optional<CompareSidePlace>& place() const { return m_place; }
  void setPlace(const CompareSidePlace& place);

 Q_SIGNALS:
  void placeChanged();

 private:
  struct View {
    Document* document;
    ViewOptions known = {};  ///< the last known view, to detect changes
    bool pinned = false, following = false;

    bool hasNewToken() const;
    void learn();
  };
  void changed(std::size_t from);
  void adopt(std::size_t to);
  void keepPlace();
  bool sharePlace(std::size_t a, std::size_t b) const;

  std::array<View, 3> m_views;  ///< window, left, right
  std::optional<CompareSidePlace> m_place;
  bool m_linked = true;
  bool m_spreading = false;
};

}  // namespace headlight
