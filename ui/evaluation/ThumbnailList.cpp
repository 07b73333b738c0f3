// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ThumbnailList.h"

#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

constexpr int kThumbnail = 96, kCellWidth = 168;
constexpr int kNameRole = Qt::UserRole;

}  // namespace

ThumbnailList::ThumbnailList(const QString& name, const QString& accessibleName, QWidget* parent)
    : QListWidget(parent) {
  setObjectName(name);
  setAccessibleName(accessibleName);
  setViewMode(QListView::IconMode);
  setResizeMode(QListView::Adjust);
  setMovement(QListView::Static);
  setIconSize({kThumbnail, kThumbnail});
  setGridSize({kCellWidth, kThumbnail + 4 * fontMetrics().height()});
  setWordWrap(true);
  connect(this, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    const auto at = static_cast<std::size_t>(row(item));
    if (at < m_images.size() && !m_images[at].empty())
      Q_EMIT opened(m_images[at], item->data(kNameRole).toString());
  });
}

void ThumbnailList::addImage(const QString& text, const QString& tip, const QString& name) {
  auto* item = new QListWidgetItem(text, this);
  item->setToolTip(plainToolTip(tip));
  item->setData(kNameRole, name);
}

void ThumbnailList::setImages(const std::vector<Image>& images) {
  m_images = images;
  for (int row = 0; row < count(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    if (at >= images.size() || images[at].empty()) continue;
    item(row)->setIcon(QPixmap::fromImage(
        wrapImage(images[at])
            .scaled(kThumbnail, kThumbnail, Qt::KeepAspectRatio, Qt::SmoothTransformation)));
  }
}

}  // namespace headlight
