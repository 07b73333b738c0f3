// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/CommandPalette.h"

#include <QApplication>
#include <QGraphicsDropShadowEffect>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

#include "ui/base/FuzzyMatch.h"

namespace headlight {
namespace {

enum Role { IdRole = Qt::UserRole, KeysRole, MatchRole };
constexpr int kWidth = 560, kHeight = 380, kTop = 56;

/// "Masks: Undo", with the letters that matched underlined, and its keys at the right.
class CommandDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {100, option.fontMetrics.height() + 10};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const bool selected = option.state & QStyle::State_Selected;
    const bool enabled = index.flags() & Qt::ItemIsEnabled;
    const auto group = enabled ? QPalette::Active : QPalette::Disabled;
    const QPalette& palette = option.palette;
    painter->save();
    if (selected) painter->fillRect(option.rect, palette.color(group, QPalette::Highlight));
    painter->setPen(palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text));
    const QRect row = option.rect.adjusted(10, 0, -10, 0);
    const QString keys = index.data(KeysRole).toString();
    painter->drawText(row, Qt::AlignVCenter | Qt::AlignRight, keys);
    const int room = row.width() - option.fontMetrics.horizontalAdvance(keys) - 16;
    paintText(painter, option, index, row, room);
    painter->restore();
  }

 private:
  static void paintText(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index, const QRect& row, int room) {
    const QString text =
        option.fontMetrics.elidedText(index.data().toString(), Qt::ElideRight, room);
    QTextLayout layout(text, option.font);
    QList<QTextLayout::FormatRange> formats;
    QTextCharFormat matched;
    matched.setFontUnderline(true);
    matched.setFontWeight(QFont::Bold);
    for (const QVariant& position : index.data(MatchRole).toList())
      if (position.toInt() < text.size())
        formats << QTextLayout::FormatRange{position.toInt(), 1, matched};
    layout.setFormats(formats);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    layout.draw(painter, QPointF(row.left(), row.center().y() - option.fontMetrics.height() / 2.0));
  }
};

}  // namespace

CommandPalette::CommandPalette(const Actions* actions, QWidget* window)
    : QFrame(window), m_actions(actions) {
  setObjectName(QStringLiteral("commandPalette"));
  setAccessibleName(tr("Command palette"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  auto* shadow = new QGraphicsDropShadowEffect(this);
  shadow->setBlurRadius(28);
  shadow->setOffset(0, 6);
  shadow->setColor(QColor(0, 0, 0, 110));
  setGraphicsEffect(shadow);

  m_query = new QLineEdit(this);
  m_query->setObjectName(QStringLiteral("commandQuery"));
  m_query->setPlaceholderText(tr("Type a command"));
  m_query->setAccessibleName(tr("Command to search for"));
  m_query->setToolTip(tr("A few letters of a command; Enter runs it, Esc closes"));
  m_query->installEventFilter(this);
  connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);

  m_model = new QStandardItemModel(this);
  m_list = new QListView(this);
  m_list->setObjectName(QStringLiteral("commandList"));
  m_list->setAccessibleName(tr("Commands found"));
  m_list->setToolTip(tr("Commands found, best first"));
  m_list->setModel(m_model);
  m_list->setItemDelegate(new CommandDelegate(m_list));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_list->setUniformItemSizes(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(m_list, &QListView::clicked, this, [this] { runCurrent(); });
  m_open = makeCommand(this,
                       {"edit.palette", tr("Command &palette…"),
                        tr("Find any command by a few letters"), "Ctrl+Shift+P", "search"},
                       [this] { open(); });

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(m_query);
  layout->addWidget(m_list, 1);
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { onFocusChanged(now); });
  window->installEventFilter(this);
  hide();
}

void CommandPalette::open(const QString& query) {
  m_focusBefore = QApplication::focusWidget();
  m_query->setText(query);
  filter(query);
  place();
  show();
  raise();
  m_query->setFocus();
  m_query->selectAll();
}

void CommandPalette::place() {
  const QSize room = parentWidget()->size();
  const int width = std::min(kWidth, room.width() - 40);
  const int height = std::min(kHeight, room.height() - kTop - 40);
  setGeometry((room.width() - width) / 2, kTop, width, height);
}

void CommandPalette::filter(const QString& query) {
  struct Found {
    const Command* command;
    FuzzyMatch match;
    QString text;
  };
  std::vector<Found> found;
  for (const Command& command : m_actions->commands()) {
    const QString text = QStringLiteral("%1: %2").arg(command.category, command.text());
    if (const auto match = fuzzyMatch(query, text)) found.push_back({&command, *match, text});
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (a.command->action->isEnabled() != b.command->action->isEnabled())
      return a.command->action->isEnabled();
    return a.match.score > b.match.score;
  });
  m_model->clear();
  for (const Found& one : found) {
    const QAction* action = one.command->action;
    auto* item = new QStandardItem(
        action->isCheckable() && action->isChecked() ? one.text + QStringLiteral("  ✓") : one.text);
    item->setData(one.command->id(), IdRole);
    item->setData(action->shortcut().toString(QKeySequence::NativeText), KeysRole);
    QVariantList positions;
    for (const int position : one.match.positions)
      positions << position;
    item->setData(positions, MatchRole);
    item->setToolTip(action->toolTip());
    item->setEnabled(action->isEnabled());
    m_model->appendRow(item);
  }
  m_list->setCurrentIndex(m_model->index(0, 0));
}

QStringList CommandPalette::shownIds() const {
  QStringList ids;
  for (int row = 0; row < m_model->rowCount(); ++row)
    ids << m_model->item(row)->data(IdRole).toString();
  return ids;
}

void CommandPalette::moveBy(int rows) {
  const int count = m_model->rowCount();
  if (count == 0) return;
  const int row = std::clamp(m_list->currentIndex().row() + rows, 0, count - 1);
  m_list->setCurrentIndex(m_model->index(row, 0));
}

void CommandPalette::runCurrent() {
  QAction* action = m_actions->find(m_list->currentIndex().data(IdRole).toString());
  if (!action || !action->isEnabled()) return;
  hide();  // the command acts on the window as it was
  action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) place();
  if (watched != m_query || event->type() != QEvent::KeyPress)
    return QFrame::eventFilter(watched, event);
  switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down:
      moveBy(1);
      return true;
    case Qt::Key_Up:
      moveBy(-1);
      return true;
    case Qt::Key_PageDown:
      moveBy(10);
      return true;
    case Qt::Key_PageUp:
      moveBy(-10);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      runCurrent();
      return true;
    case Qt::Key_Escape:
      hide();
      return true;
    default:
      return QFrame::eventFilter(watched, event);
  }
}

void CommandPalette::hideEvent(QHideEvent* event) {
  QFrame::hideEvent(event);
  if (m_focusBefore && !m_focusBefore->isAncestorOf(this)) m_focusBefore->setFocus();
}

void CommandPalette::onFocusChanged(QWidget* now) {
  if (isVisible() && now && now != this && !isAncestorOf(now)) {
    m_focusBefore.clear();  // the person went elsewhere
    hide();
  }
}

}  // namespace headlight
