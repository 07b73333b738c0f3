// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/GalleryDock.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

#include "ui/base/Actions.h"
#include "ui/base/Icons.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/GalleryModel.h"
#include "ui/document/Document.h"
#include "ui/teaching/ClassShelf.h"
#include "ui/widgets/IconButton.h"

namespace headlight {
namespace {

constexpr int kCellMargin = 6, kSideMargin = 11;

/// A thumbnail over its name. An image that cannot be read says so with a sign, not with silence.
class ThumbnailDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  /// The margins give way in a narrow gallery, so that it scrolls in one direction only.
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    const auto* view = qobject_cast<const QListView*>(option.widget);
    const int whole = GalleryModel::kThumbnailSide + 2 * kSideMargin;
    const int room = view ? view->viewport()->width() - 2 * view->spacing() - 1 : whole;
    return {std::clamp(room, GalleryModel::kThumbnailSide + 2, whole),
            GalleryModel::kThumbnailSide + 3 * kCellMargin + option.fontMetrics.height()};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    const QRect cell = option.rect.adjusted(1, 1, -1, -1);
    const bool selected = option.state & QStyle::State_Selected;
    painter->setRenderHint(QPainter::Antialiasing);
    if (selected || (option.state & QStyle::State_MouseOver)) {
      QColor ground = option.palette.color(QPalette::Highlight);
      if (!selected) ground.setAlpha(40);
      painter->setPen(Qt::NoPen);
      painter->setBrush(ground);
      painter->drawRoundedRect(cell, 4, 4);
    }
    paintThumbnail(painter, option, index, cell);
    const QRect name(cell.left() + 3, cell.bottom() - option.fontMetrics.height() - 3,
                     cell.width() - 6, option.fontMetrics.height());
    painter->setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    painter->drawText(
        name, Qt::AlignCenter,
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, name.width()));
    painter->restore();
  }

 private:
  static void paintThumbnail(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index, const QRect& cell) {
    const int side = GalleryModel::kThumbnailSide;
    const QRect frame(cell.center().x() - side / 2, cell.top() + kCellMargin, side, side);
    const QPixmap image = qvariant_cast<QPixmap>(index.data(Qt::DecorationRole));
    if (image.isNull()) {
      QColor ground = option.palette.color(QPalette::Mid);
      ground.setAlpha(60);
      painter->fillRect(frame, ground);
      if (!index.data(GalleryModel::ProblemRole).toString().isEmpty())
        lineIcon(QStringLiteral("warning"))
            .paint(painter, QRect(frame.center() - QPoint(12, 12), QSize(24, 24)));
      return;
    }
    const QSizeF size = image.deviceIndependentSize();
    painter->drawPixmap(QPointF(frame.center().x() + 0.5 - size.width() / 2,
                                frame.center().y() + 0.5 - size.height() / 2),
                        image);
  }
};

/// The widget there that takes images of the gallery, if any.
QWidget* takerAt(const QPoint& place) {
  QWidget* widget = QApplication::widgetAt(place);
  while (widget && !widget->property("takesGalleryImages").toBool())
    widget = widget->parentWidget();
  return widget;
}

/// Whether images could be dragged anywhere; else the mouse selects them.
bool anybodyTakes() {
  const QWidgetList all = QApplication::allWidgets();
  return std::any_of(all.begin(), all.end(), [](const QWidget* widget) {
    return widget->isVisible() && widget->property("takesGalleryImages").toBool();
  });
}

void handOver(const QStringList& paths, const QPoint& place) {
  QWidget* taker = takerAt(place);
  if (!taker || paths.isEmpty()) return;
  QMimeData data;
  data.setData(QString::fromLatin1(ClassShelf::kMimeType), paths.join(QLatin1Char('\n')).toUtf8());
  auto* area = qobject_cast<QAbstractScrollArea*>(taker);
  QWidget* target = area ? area->viewport() : taker;
  // Qt drops where something was dragged in, and nowhere else.
  QDragEnterEvent enter(target->mapFromGlobal(place), Qt::CopyAction, &data, Qt::LeftButton,
                        Qt::NoModifier);
  QApplication::sendEvent(target, &enter);
  QDropEvent drop(target->mapFromGlobal(place), Qt::CopyAction, &data, Qt::LeftButton,
                  Qt::NoModifier);
  QApplication::sendEvent(target, &drop);
}

/// By which way an arrow key goes; 0: it is none, or with another key it selects.
int stepOf(const QKeyEvent& event) {
  Qt::KeyboardModifiers held = event.modifiers();
  held.setFlag(Qt::KeypadModifier, false);  // arrow keys of a Mac have it
  if (held != Qt::NoModifier) return 0;
  if (event.key() == Qt::Key_Right || event.key() == Qt::Key_Down) return 1;
  return event.key() == Qt::Key_Left || event.key() == Qt::Key_Up ? -1 : 0;
}

/// Keys that move the mark choose what it moves to. Images are dragged to what takes them, without
/// an event loop of its own, which QDrag has.
class ThumbnailList : public QListView {
 public:
  using QListView::QListView;
  std::function<void(const QModelIndex&)> moved;
  std::function<bool()> walks;  ///< among selected images, which stay selected
  std::function<void(int)> stepped;

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (const int by = stepOf(*event); by != 0 && walks()) return stepped(by);
    const QModelIndex before = currentIndex();
    QListView::keyPressEvent(event);
    if (currentIndex().isValid() && currentIndex() != before) moved(currentIndex());
  }

  QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex& index,
                                                       const QEvent* event) const override {
    const auto* input = dynamic_cast<const QInputEvent*>(event);
    const bool plain = !input || input->modifiers() == Qt::NoModifier;
    if (plain && walks() && selectionModel()->isSelected(index))
      return QItemSelectionModel::NoUpdate;
    return QListView::selectionCommand(index, event);
  }

  void mousePressEvent(QMouseEvent* event) override {
    const QModelIndex pressed = indexAt(event->position().toPoint());
    m_dragged.clear();
    m_pressedAt = event->position().toPoint();
    m_dragging = false;
    if (event->button() == Qt::LeftButton && pressed.isValid() && anybodyTakes()) {
      const QModelIndexList selected = selectionModel()->selectedIndexes();
      for (const QModelIndex& index :
           selected.contains(pressed) ? selected : QModelIndexList{pressed})
        m_dragged << index.data(GalleryModel::PathRole).toString();
    }
    QListView::mousePressEvent(event);
  }

  void mouseMoveEvent(QMouseEvent* event) override {
    const QPoint way = event->position().toPoint() - m_pressedAt;
    const bool far = way.manhattanLength() >= QApplication::startDragDistance();
    if (m_dragged.isEmpty() || !(event->buttons() & Qt::LeftButton) || !(far || m_dragging))
      return QListView::mouseMoveEvent(event);
    m_dragging = true;
    viewport()->setCursor(takerAt(event->globalPosition().toPoint()) ? Qt::DragCopyCursor
                                                                     : Qt::ClosedHandCursor);
  }

  void mouseReleaseEvent(QMouseEvent* event) override {
    if (!std::exchange(m_dragging, false)) return QListView::mouseReleaseEvent(event);
    viewport()->unsetCursor();
    setState(NoState);
    handOver(std::exchange(m_dragged, {}), event->globalPosition().toPoint());
  }

 private:
  QStringList m_dragged;  ///< what a drag from here takes along
  QPoint m_pressedAt;
  bool m_dragging = false;
};

}  // namespace

GalleryDock::GalleryDock(Document* document, GalleryModel* model, QWidget* parent)
    : QWidget(parent), m_document(document), m_model(model) {
  setObjectName(QStringLiteral("galleryDock"));
  setAccessibleName(tr("Gallery"));

  m_filtered = new QSortFilterProxyModel(this);
  m_filtered->setSourceModel(model);
  m_filtered->setFilterCaseSensitivity(Qt::CaseInsensitive);

  m_filter = new QLineEdit(this);
  m_filter->setObjectName(QStringLiteral("galleryFilter"));
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setClearButtonEnabled(true);
  m_filter->setAccessibleName(tr("Filter the gallery by name"));
  m_filter->setToolTip(tr("Show only images whose name contains this"));
  connect(m_filter, &QLineEdit::textChanged, this, &GalleryDock::filter);

  auto* list = new ThumbnailList(this);
  list->moved = [this](const QModelIndex& index) { choose(index); };
  list->walks = [this] { return m_walking; };
  list->stepped = [this](int by) { step(by); };
  m_view = list;
  m_view->setObjectName(QStringLiteral("galleryView"));
  m_view->setAccessibleName(tr("Images"));
  m_view->setToolTip(tr("Choose an image to show; drop files or folders to add more"));
  m_view->setModel(m_filtered);
  connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          [this] { m_walking = false; });
  m_view->setViewMode(QListView::IconMode);
  m_view->setResizeMode(QListView::Adjust);
  m_view->setMovement(QListView::Static);
  m_view->setUniformItemSizes(true);
  m_view->setSpacing(2);
  m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_view->setItemDelegate(new ThumbnailDelegate(m_view));
  m_view->setMouseTracking(true);
  m_view->setFrameShape(QFrame::NoFrame);
  m_view->setDragEnabled(false);
  m_view->setAcceptDrops(false);  // the window takes drops, everywhere alike
  m_view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_view->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_view, &QListView::customContextMenuRequested, this, &GalleryDock::showMenu);
  // A selection with Ctrl or Shift is for joint actions; it shows no image.
  connect(m_view, &QListView::clicked, this, [this](const QModelIndex& index) {
    if (QApplication::keyboardModifiers() == Qt::NoModifier) choose(index);
  });

  auto* add = iconToolButton(this, QStringLiteral("galleryAdd"), QStringLiteral("add"),
                             tr("Add images to the gallery"));
  connect(add, &QToolButton::clicked, this, &GalleryDock::addRequested);
  auto* clear = iconToolButton(this, QStringLiteral("galleryClear"), QStringLiteral("clear"),
                               tr("Remove all images except the samples from the gallery"));
  connect(clear, &QToolButton::clicked, m_model, &GalleryModel::clear);

  auto* tools = new QHBoxLayout;
  tools->setSpacing(2);
  tools->addWidget(m_filter, 1);
  tools->addWidget(add);
  tools->addWidget(clear);
  m_count = new QLabel(this);
  m_count->setObjectName(QStringLiteral("galleryCount"));
  m_count->setWordWrap(true);
  m_count->setForegroundRole(QPalette::PlaceholderText);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->setSpacing(4);
  layout->addLayout(tools);
  layout->addWidget(m_count);
  layout->addWidget(m_view, 1);

  connect(&document->inputs(), &InferenceInputs::imageChanged, this, &GalleryDock::markShown);
  for (const auto signal : {&GalleryModel::rowsInserted, &GalleryModel::rowsRemoved})
    connect(model, signal, this, &GalleryDock::markShown);
  connect(model, &GalleryModel::modelReset, this, &GalleryDock::markShown);
  for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(m_filtered, signal, this, &GalleryDock::count);
  connect(m_filtered, &QAbstractItemModel::modelReset, this, &GalleryDock::count);
  makeCommands();
  count();
}

void GalleryDock::makeCommands() {
  m_commands << makeCommand(
      this,
      {"file.next", tr("&Next image"), tr("Open the next image of the gallery"), "Ctrl+PgDown", {}},
      [this] { step(1); });
  m_commands << makeCommand(this,
                            {"file.previous",
                             tr("&Previous image"),
                             tr("Open the previous image of the gallery"),
                             "Ctrl+PgUp",
                             {}},
                            [this] { step(-1); });
}

void GalleryDock::markShown() {
  const QModelIndex index =
      m_filtered->mapFromSource(m_model->indexOf(m_document->inputs().imagePath()));
  if (!index.isValid()) return m_view->selectionModel()->clear();
  // By the view's own rule a key that is held, as in Ctrl+PgDown, would mark nothing.
  const bool marked = m_view->selectionModel()->isSelected(index);
  m_view->selectionModel()->setCurrentIndex(
      index, marked ? QItemSelectionModel::NoUpdate : QItemSelectionModel::ClearAndSelect);
}

void GalleryDock::filter(const QString& text) {
  m_filtered->setFilterFixedString(text);
  markShown();
  count();
}

void GalleryDock::count() {
  const int all = m_model->rowCount(), shown = m_filtered->rowCount();
  const QString text = m_filter->text();
  if (all == 0)
    m_count->setText(tr("No images yet: drop some here."));
  else if (shown == 0)
    m_count->setText(tr("No image has “%1” in its name.").arg(displayName(text)));
  else if (shown < all)
    m_count->setText(tr("%1 of %2 images").arg(shown).arg(all));
  else
    m_count->setText(all == 1 ? tr("1 image") : tr("%1 images").arg(all));
}

void GalleryDock::choose(const QModelIndex& index) {
  m_view->setCurrentIndex(index);
  Q_EMIT chosen(index.data(GalleryModel::PathRole).toString());
}

void GalleryDock::step(int by) {
  const int rows = m_filtered->rowCount();
  if (rows == 0) return;
  const int now = m_view->currentIndex().isValid() ? m_view->currentIndex().row() : -1;
  const int next = neighbor(now, by);
  m_view->selectionModel()->setCurrentIndex(m_filtered->index(next, 0),
                                            m_walking && isSelected(next)
                                                ? QItemSelectionModel::NoUpdate
                                                : QItemSelectionModel::ClearAndSelect);
  choose(m_filtered->index(next, 0));
}

/// Of a row, or of none (−1), in a circle; while walking the next that is selected, if there is
/// another.
int GalleryDock::neighbor(int row, int by) const {
  const int rows = m_filtered->rowCount();
  const auto beside = [&](int from) {
    return from < 0 ? (by > 0 ? 0 : rows - 1) : (from + by + rows) % rows;
  };
  if (!m_walking) return row < 0 ? 0 : beside(row);
  int next = beside(row);
  for (int tried = 0; tried < rows && !isSelected(next); ++tried)
    next = beside(next);
  return next == row ? beside(row) : next;
}

bool GalleryDock::isSelected(int row) const {
  return m_view->selectionModel()->isSelected(m_filtered->index(row, 0));
}

int GalleryDock::select(const QStringList& paths) {
  QItemSelection selection;
  for (const QString& path : paths) {
    const QModelIndex index = m_filtered->mapFromSource(m_model->indexOf(path));
    if (index.isValid() && !selection.contains(index)) selection.select(index, index);
  }
  const int found = static_cast<int>(selection.indexes().size());
  if (found == 0) {
    m_view->selectionModel()->clearSelection();
    markShown();
    return 0;
  }
  m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
  m_view->scrollTo(selection.indexes().first());
  m_walking = true;
  return found;
}

void GalleryDock::showMenu(const QPoint& position) {
  const QModelIndex index = m_view->indexAt(position);
  if (!index.isValid()) return;
  const QString path = index.data(GalleryModel::PathRole).toString();
  QModelIndexList rows;
  for (const QModelIndex& selected : m_view->selectionModel()->selectedIndexes())
    rows << m_filtered->mapToSource(selected);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("Copy path"), this, [path] { QApplication::clipboard()->setText(path); });
  QStringList paths;
  for (const QModelIndex& row : rows)
    paths << m_model->pathAt(row);
  menu->addAction(tr("Joint feature PCA of the selection"), this,
                  [this, paths] { Q_EMIT colorsRequested(paths); });
  menu->addAction(tr("Remove from the gallery"), this,
                  [this, rows] { m_model->removeImages(rows); });
  connect(menu, &QMenu::aboutToHide, this, &GalleryDock::markShown);
  menu->popup(m_view->viewport()->mapToGlobal(position));
}

void GalleryDock::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  m_model->setDevicePixelRatio(devicePixelRatioF());
}

void GalleryDock::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::ApplicationPaletteChange) m_view->viewport()->update();
}

}  // namespace headlight
