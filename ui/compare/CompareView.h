// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The page Compare: two models, mask schemes or images side by side, and the similarity of layers.

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
  CompareView(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
              QWidget* parent = nullptr);
  Page page() const;
  void setPage(Page page);
  CompareSides* sides() const { return m_sides; }
  SimilarityPage* layers() const { return m_layers; }

 Q_SIGNALS:
  void pageChanged();

 private:
  CompareSides* m_sides;
  SimilarityPage* m_layers;
  QTabBar* m_tabs;
  QStackedWidget* m_pages;
};

}  // namespace headlight
