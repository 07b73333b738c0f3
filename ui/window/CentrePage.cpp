#include "ui/window/CentrePage.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "ui/base/NoticeBar.h"
#include "ui/maps/PictureTabs.h"
#include "ui/maps/PredictionPanel.h"
#include "ui/maps/ViewControls.h"

namespace headlight {
namespace {

constexpr int kPredictionHeight = 132;

}  // namespace

CentrePage::CentrePage(Document* document, QWidget* parent) : QWidget(parent) {
  m_notices = new NoticeBar(this);
  auto* controls = new ViewControls(document, this);
  m_splitter = new QSplitter(Qt::Vertical, this);
  m_tabs = new PictureTabs(document, m_splitter);
  m_splitter->addWidget(m_tabs);
  m_splitter->addWidget(new PredictionPanel(document, m_splitter));
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setSizes({400, kPredictionHeight});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(m_notices);
  layout->addWidget(controls);
  layout->addWidget(m_splitter, 1);
}

void CentrePage::putBack() {
  m_splitter->setSizes({m_splitter->height() - kPredictionHeight, kPredictionHeight});
}

}  // namespace headlight
