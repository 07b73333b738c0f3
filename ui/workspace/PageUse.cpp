// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/PageUse.h"

#include <utility>

#include "core/workbench/attribution/Explanations.h"
#include "ui/compare/CompareView.h"
#include "ui/document/Document.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {

PageUse::PageUse(Document* document, ImageTabs* tabs, QObject* parent)
    : QObject(parent), m_document(document), m_tabs(tabs), m_use(presentUse()) {
  connect(tabs, &QTabWidget::currentChanged, this, &PageUse::refresh);
  connect(tabs->compare(), &CompareView::pageChanged, this, &PageUse::refresh);
  connect(tabs->compare()->sides(), &CompareSides::changed, this, &PageUse::refresh);
  connect(&document->view(), &ViewState::changed, this, &PageUse::refresh);
}

void PageUse::refresh() {
  const ViewUse use = presentUse();
  if (std::exchange(m_use, use) != use) Q_EMIT changed(m_use);
}

ViewUse PageUse::presentUse() const {
  const QString page = m_tabs->page();
  if (page == QLatin1String("rollout")) {
    ViewUse use;
    use.learned = use.layer = use.head = use.token = use.sharedScale = false;
    return use;
  }
  if (page == QLatin1String("explain")) return explanationUse();
  if (page == QLatin1String("compare")) return comparisonUse();
  ViewUse use;
  use.mask = use.objects = page == QLatin1String("canvas");
  return use;
}

ViewUse PageUse::explanationUse() const {
  const ExplanationInfo* method = explanationFromName(m_document->view().options().method.name);
  ViewUse use;
  use.learned = use.layer = use.head = use.sharedScale = false;
  use.explainedLayer = method && method->ofLayer;
  use.token = method && method->ofToken;
  use.markedObject = method && method->marksObject;
  use.map = use.smooth = !method || method->kind != ExplanationKind::Curve;
  use.colors = !method || method->isHeatmap();
  return use;
}

ViewUse PageUse::comparisonUse() const {
  const bool layers = m_tabs->compare()->page() == CompareView::Page::Layers;
  if (!layers && m_tabs->compare()->sides()->comparison().otherExplanation) return explanationUse();
  ViewUse use;
  use.learned = use.sharedScale = false;  // both sides have one scale
  if (layers) use.token = use.map = use.smooth = false;
  return use;
}

}  // namespace headlight
