// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/PagePreview.h"

#include <QPainter>

#include <algorithm>

namespace headlight {
namespace {

constexpr double kScreenInch = 96, kPale = 0.45;
constexpr int kAround = 12;
constexpr double kLargest = 1.6;  ///< of its size on paper

}  // namespace

PagePreview::PagePreview(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("pagePreview"));
  setAccessibleName(tr("Preview of the page as it is saved"));
  setMinimumSize(240, 200);
}

void PagePreview::setPage(const QImage& page, double perInch) {
  m_page = page;
  m_perInch = perInch;
  update();
}

void PagePreview::setOutdated(bool outdated) {
  if (outdated == m_outdated) return;
  m_outdated = outdated;
  update();
}

void PagePreview::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Window).darker(108));
  if (m_page.isNull()) return;
  painter.setRenderHint(QPainter::SmoothPixmapTransform);
  const QSizeF room = rect().adjusted(kAround, kAround, -kAround, -kAround).size();
  const double fits = std::min(room.width() / m_page.width(), room.height() / m_page.height());
  const double scale = std::min(fits, kLargest * kScreenInch / m_perInch);
  const QSizeF size = QSizeF(m_page.size()) * scale;
  const QRectF place((width() - size.width()) / 2, (height() - size.height()) / 2, size.width(),
                     size.height());
  if (m_outdated) painter.setOpacity(kPale);
  const double ratio = devicePixelRatioF();
  const QImage fitting = m_page.scaled((size * ratio).toSize().expandedTo({1, 1}),
                                       Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  painter.drawImage(place, fitting);
}

}  // namespace headlight
