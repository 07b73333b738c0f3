// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One view for several documents: what a person changes in one of them the others show too, each on
// its own grid and within its own layers and heads.

#include <QObject>

#include <array>
#include <optional>

#include "ui/document/Document.h"
#include "ui/document/DocumentReference.h"

namespace headlight {

class LinkedViews : public QObject {
  Q_OBJECT
 public:
  /// The sides take over what `window` shows. All outlive it.
  LinkedViews(Document* window, Document* left, Document* right, QObject* parent);

  /// Unlinked, `left` has a layer, head and token of its own; how maps are drawn stays one.
  void setLinked(bool linked);
  bool isLinked() const { return m_linked; }
  /// Unlinked, where `left` looks, also in the models that it will have; linked, nothing.
  const std::optional<CompareSidePlace>& place() const { return m_place; }
  void setPlace(const CompareSidePlace& place);

 Q_SIGNALS:
  void placeChanged();

 private:
  struct View {
    Document* document;
    ViewOptions known = {};  ///< as it was last; what differs from it was changed since
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
