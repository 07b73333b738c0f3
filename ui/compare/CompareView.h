// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Maps beside maps: two of anything side by side, and how alike the layers look.

#include <QWidget>

#include "ui/compare/CompareSides.h"

class QStackedWidget;
class QTabBar;

namespace headlight {

class SimilarityPage;

class CompareView : public QWidget {
  Q_OBJECT
 public:
  enum class Page { Sides, Layers };
  /// As CompareSides.
  CompareView(Document* document, ModelWorker* look, const CompareSideOffers& offers,
              QWidget* parent = nullptr);
  Page page() const;
  void setPage(Page page);
  CompareSides* sides() const { return m_sides; }
  SimilarityPage* layers() const { return m_layers; }

 private:
  CompareSides* m_sides;
  SimilarityPage* m_layers;
  QTabBar* m_tabs;
  QStackedWidget* m_pages;
};

}  // namespace headlight
