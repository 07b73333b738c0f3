// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/CompareView.h"

#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/compare/SimilarityPage.h"

namespace headlight {

CompareView::CompareView(Document* document, ModelWorker* inference,
                         const CompareSideOffers& offers, QWidget* parent)
    : QWidget(parent),
      m_sides(new CompareSides(document, inference, offers, this)),
      m_layers(new SimilarityPage(document, this)) {
  setObjectName("compareView");
  setAccessibleName(tr("Compare models, mask schemes, images or layers"));
  m_tabs = new QTabBar(this);
  m_tabs->setObjectName("comparePages");
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->addTab(tr("Side by side"));
  m_tabs->addTab(tr("Layers"));
  m_tabs->setTabToolTip(0, tr("Two models, mask schemes or images, and their difference"));
  m_tabs->setTabToolTip(1, tr("How similar the layers' maps are"));
  m_pages = new QStackedWidget(this);
  m_pages->addWidget(m_sides);
  m_pages->addWidget(m_layers);
  auto* top = new QHBoxLayout;
  top->addWidget(m_tabs);
  top->addStretch(1);
  top->addWidget(m_sides->makeSwitches(this));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 4, 0, 0);
  all->setSpacing(2);
  all->addLayout(top);
  all->addWidget(m_pages, 1);
  connect(m_tabs, &QTabBar::currentChanged, m_pages, &QStackedWidget::setCurrentIndex);
  connect(m_tabs, &QTabBar::currentChanged, this, &CompareView::pageChanged);
}

CompareView::Page CompareView::page() const {
  return static_cast<Page>(m_tabs->currentIndex());
}

void CompareView::setPage(Page page) {
  m_tabs->setCurrentIndex(static_cast<int>(page));
}

}  // namespace headlight
