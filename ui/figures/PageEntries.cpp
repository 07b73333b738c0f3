// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/PageEntries.h"

#include <QKeyEvent>

namespace headlight {

PageEntries::PageEntries(const QString& name, QWidget* parent) : QListWidget(parent) {
  setAccessibleName(name);
  setDragDropMode(QAbstractItemView::InternalMove);
  setDefaultDropAction(Qt::MoveAction);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  setTextElideMode(Qt::ElideMiddle);
  connect(this, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
    if (!m_setting) Q_EMIT typed(row(item), item->text());
  });
}

QListWidgetItem* PageEntries::makeItem(const QString& text, const QVariant& data) {
  auto* item = new QListWidgetItem(text);
  item->setFlags((item->flags() | Qt::ItemIsEditable | Qt::ItemIsDragEnabled) &
                 ~Qt::ItemIsDropEnabled);
  item->setData(Qt::UserRole, data);
  item->setToolTip(text);
  return item;
}

void PageEntries::setEntries(const QStringList& texts, const QVariantList& data) {
  m_setting = true;
  const int chosen = currentRow();
  clear();
  for (qsizetype i = 0; i < texts.size(); ++i)
    addItem(makeItem(texts[i], data[i]));
  setCurrentRow(qBound(0, chosen, count() - 1));
  m_setting = false;
}

void PageEntries::append(const QString& text, const QVariant& data) {
  m_setting = true;
  addItem(makeItem(text, data));
  setCurrentRow(count() - 1);
  m_setting = false;
  Q_EMIT changed();
}

QVariantList PageEntries::entries() const {
  QVariantList all;
  for (int i = 0; i < count(); ++i)
    all << item(i)->data(Qt::UserRole);
  return all;
}

void PageEntries::setEntry(int row, const QString& text, const QVariant& data) {
  m_setting = true;
  if (QListWidgetItem* of = item(row)) {
    of->setText(text);
    of->setToolTip(text);
    of->setData(Qt::UserRole, data);
  }
  m_setting = false;
}

void PageEntries::moveChosen(int by) {
  const int from = currentRow(), to = from + by;
  if (from < 0 || to < 0 || to >= count()) return;
  m_setting = true;
  insertItem(to, takeItem(from));
  setCurrentRow(to);
  m_setting = false;
  Q_EMIT changed();
}

void PageEntries::removeChosen() {
  if (currentRow() < 0) return;
  delete takeItem(currentRow());
  Q_EMIT changed();
}

void PageEntries::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Delete) return removeChosen();
  if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Up)
    return moveChosen(-1);
  if (event->modifiers() == Qt::ControlModifier && event->key() == Qt::Key_Down)
    return moveChosen(1);
  QListWidget::keyPressEvent(event);
}

void PageEntries::dropEvent(QDropEvent* event) {
  QListWidget::dropEvent(event);
  Q_EMIT changed();
}

}  // namespace headlight
