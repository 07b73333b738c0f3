// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/teaching/ClassShelf.h"

#include <QDropEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QMimeData>
#include <QUrl>

#include "core/workbench/session/Datasets.h"
#include "ui/base/SanitizedText.h"

namespace headlight {
namespace {

enum ShelfColumn { kName, kImageCount, kShelfColumns };
constexpr std::size_t kMostOfAFolder = 20'000;

QStringList droppedImages(const QMimeData* data) {
  const QByteArray own = data->data(QString::fromLatin1(ClassShelf::kMimeType));
  if (!own.isEmpty()) return QString::fromUtf8(own).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

bool holdsImages(const QMimeData* data) {
  return data->hasUrls() || data->hasFormat(QString::fromLatin1(ClassShelf::kMimeType));
}

}  // namespace

ClassShelf::ClassShelf(QWidget* parent) : QTableWidget(0, kShelfColumns, parent) {
  setObjectName(QStringLiteral("classShelf"));
  setAccessibleName(tr("Classes and their images"));
  setToolTip(
      tr("Drop images of the gallery, or files, on a class, or below the classes for a new one; a "
         "folder becomes a class of its name. Double-click a name to change it"));
  setHorizontalHeaderLabels({tr("Class"), tr("Images")});
  horizontalHeader()->setSectionResizeMode(kName, QHeaderView::Stretch);
  verticalHeader()->hide();
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setAcceptDrops(true);
  viewport()->setAcceptDrops(true);
  setDragDropMode(QAbstractItemView::DropOnly);
  setProperty("takesGalleryImages", true);
  connect(this, &QTableWidget::itemChanged, this, [this](QTableWidgetItem* item) {
    if (item->column() == kName) Q_EMIT changed();
  });
}

std::vector<NamedImages> ClassShelf::classes() const {
  std::vector<NamedImages> classes;
  for (int row = 0; row < rowCount(); ++row) {
    NamedImages one{item(row, kName)->text().trimmed().toStdString(), {}};
    for (const QString& path : m_images[static_cast<std::size_t>(row)])
      one.files.emplace_back(path.toStdString());
    classes.push_back(std::move(one));
  }
  return classes;
}

QString ClassShelf::newName() const {
  int number = rowCount() + 1;
  while (rowOfName(tr("class %1").arg(number)) >= 0)
    ++number;
  return tr("class %1").arg(number);
}

int ClassShelf::rowOfName(const QString& name) const {
  for (int row = 0; row < rowCount(); ++row)
    if (item(row, kName)->text() == name) return row;
  return -1;
}

void ClassShelf::addClass(const QString& name) {
  const QString shown = name.isEmpty() ? newName() : displayName(name);
  m_images.emplace_back();
  const int row = rowCount();
  insertRow(row);
  setItem(row, kName, new QTableWidgetItem(shown));
  auto* count = new QTableWidgetItem;
  count->setFlags(count->flags() & ~Qt::ItemIsEditable);
  setItem(row, kImageCount, count);
  refresh(row);
  Q_EMIT changed();
}

void ClassShelf::refresh(int row) {
  const QStringList& images = m_images[static_cast<std::size_t>(row)];
  QTableWidgetItem* count = item(row, kImageCount);
  count->setText(QString::number(images.size()));
  QStringList names;
  for (const QString& path : images.mid(0, 10))
    names << displayName(QFileInfo(path).fileName());
  count->setToolTip(plainToolTip(names.join(QLatin1Char('\n'))));
}

/// From whichever class has it.
void ClassShelf::takeOut(const QString& path) {
  for (int row = 0; row < rowCount(); ++row)
    if (m_images[static_cast<std::size_t>(row)].removeAll(path) > 0) refresh(row);
}

void ClassShelf::addImages(int row, const QStringList& paths) {
  QStringList images;
  for (const QString& path : paths)
    if (QFileInfo(path).isDir())
      addFolder(path);
    else
      images << path;
  if (images.isEmpty()) return;
  if (row < 0 || row >= rowCount()) {
    addClass({});
    row = rowCount() - 1;
  }
  for (const QString& path : images)
    takeOut(path);
  m_images[static_cast<std::size_t>(row)] += images;
  refresh(row);
  Q_EMIT changed();
}

void ClassShelf::addFolder(const QString& folder) {
  const QString name = displayName(QFileInfo(folder).fileName());
  if (rowOfName(name) < 0) addClass(name);
  const int row = rowOfName(name);
  const auto found = guarded(folder.toStdString(),
                             [&] { return imageFilesIn(folder.toStdString(), kMostOfAFolder); });
  if (!found || row < 0) return;
  for (const auto& path : found->images) {
    const QString image = QString::fromStdString(path.string());
    takeOut(image);
    m_images[static_cast<std::size_t>(row)] << image;
  }
  refresh(row);
  Q_EMIT changed();
}

void ClassShelf::removeSelected() {
  for (int row = rowCount() - 1; row >= 0; --row) {
    if (!item(row, kName)->isSelected()) continue;
    m_images.erase(m_images.begin() + row);
    removeRow(row);
  }
  Q_EMIT changed();
}

void ClassShelf::dragEnterEvent(QDragEnterEvent* event) {
  if (holdsImages(event->mimeData())) event->acceptProposedAction();
}

void ClassShelf::dragMoveEvent(QDragMoveEvent* event) {
  if (holdsImages(event->mimeData())) event->acceptProposedAction();
}

void ClassShelf::dropEvent(QDropEvent* event) {
  const QStringList paths = droppedImages(event->mimeData());
  if (paths.isEmpty()) return;
  addImages(rowAt(event->position().toPoint().y()), paths);
  event->setDropAction(Qt::CopyAction);
  event->accept();
}

}  // namespace headlight
