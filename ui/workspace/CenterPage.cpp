// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/CenterPage.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/canvas/ImageView.h"
#include "ui/widgets/NoticeBar.h"
#include "ui/workspace/ImageTabs.h"

namespace headlight {
namespace {

constexpr int kNoticeMargin = 6, kWidestNotice = 900;
constexpr int kBelowToken = 36;  ///< the token's button is in the images' corner

}  // namespace

CenterPage::CenterPage(Document* document, ModelWorker* inference, const CompareSideOffers& offers,
                       QWidget* parent)
    : QWidget(parent) {
  m_tabs = new ImageTabs(document, inference, offers, this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(m_tabs, 1);
  m_notices = new NoticeBar(this);
  m_notices->setAutoFillBackground(true);
  m_notices->installEventFilter(this);
  connect(m_tabs, &QTabWidget::currentChanged, this, &CenterPage::placeNotices);
  placeNotices();
}

/// Over the images, below the tabs and the controls: nothing moves when one comes, and all can be
/// reached.
void CenterPage::placeNotices() {
  const QRect area = m_tabs->contentArea().translated(m_tabs->pos());
  const int width = std::min(area.width() - 2 * kNoticeMargin, kWidestNotice);
  const int height = m_notices->hasHeightForWidth() ? m_notices->heightForWidth(width)
                                                    : m_notices->sizeHint().height();
  m_notices->setGeometry(area.x() + (area.width() - width) / 2, area.y() + kBelowToken,
                         std::max(width, 0), height);
  m_notices->raise();
  announceNotices();
}

/// Each time: some views are made when they are first shown.
void CenterPage::announceNotices() {
  for (ImageView* view : m_tabs->findChildren<ImageView*>())
    view->setCover(m_notices);
}

void CenterPage::setStartPage(QWidget* page) {
  m_startPage = page;
  m_tabs->installEventFilter(this);
  placeStartPage();
}

void CenterPage::placeStartPage() {
  m_startPage->setGeometry(m_tabs->geometry());
  m_notices->raise();
}

void CenterPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeNotices();
}

bool CenterPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_tabs && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
    placeStartPage();
  if (event->type() == QEvent::Show || event->type() == QEvent::LayoutRequest) placeNotices();
  return QWidget::eventFilter(watched, event);
}

}  // namespace headlight
