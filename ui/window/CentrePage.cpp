#include "ui/window/CentrePage.h"

#include <QEvent>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/base/NoticeBar.h"
#include "ui/maps/PictureTabs.h"

namespace headlight {
namespace {

constexpr int kNoticeMargin = 6, kWidestNotice = 900;

}  // namespace

CentrePage::CentrePage(Document* document, LookBridge* look, const SideOffers& offers,
                       QWidget* parent)
    : QWidget(parent) {
  m_tabs = new PictureTabs(document, look, offers, this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addWidget(m_tabs, 1);
  m_notices = new NoticeBar(this);
  m_notices->setAutoFillBackground(true);
  m_notices->installEventFilter(this);
  placeNotices();
}

/// Over the pictures: nothing moves when one comes.
void CentrePage::placeNotices() {
  const int width = std::min(m_tabs->width() - 2 * kNoticeMargin, kWidestNotice);
  const int height = m_notices->hasHeightForWidth() ? m_notices->heightForWidth(width)
                                                    : m_notices->sizeHint().height();
  m_notices->setGeometry(m_tabs->x() + (m_tabs->width() - width) / 2, m_tabs->y() + kNoticeMargin,
                         std::max(width, 0), height);
  m_notices->raise();
}

void CentrePage::setStartPage(QWidget* page) {
  m_startPage = page;
  m_tabs->installEventFilter(this);
  placeStartPage();
}

void CentrePage::placeStartPage() {
  m_startPage->setGeometry(m_tabs->geometry());
  m_notices->raise();
}

void CentrePage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeNotices();
}

bool CentrePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_tabs && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
    placeStartPage();
  if (event->type() == QEvent::Show || event->type() == QEvent::LayoutRequest) placeNotices();
  return QWidget::eventFilter(watched, event);
}

}  // namespace headlight
