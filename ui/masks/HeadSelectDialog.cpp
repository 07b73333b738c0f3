// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/masks/HeadSelectDialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "ui/document/Document.h"
#include "ui/document/MaskText.h"

namespace headlight {
namespace {

constexpr int kBoundDecimals = 4;
constexpr double kMostBound = 1e6;

}  // namespace

HeadSelectDialog::HeadSelectDialog(const Document& document, QWidget* parent) : QDialog(parent) {
  setObjectName(QStringLiteral("headSelectDialog"));
  setWindowTitle(tr("Select heads by value"));
  resize(460, 560);
  auto* what = new QLabel(document.numbers().describe(), this);
  what->setTextFormat(Qt::PlainText);
  m_order = new QComboBox(this);
  m_order->setObjectName(QStringLiteral("headOrder"));
  m_order->setAccessibleName(tr("Below or above"));
  m_order->addItems({tr("below"), tr("above")});
  m_bound = new QDoubleSpinBox(this);
  m_bound->setObjectName(QStringLiteral("headBound"));
  m_bound->setAccessibleName(tr("The bound"));
  m_bound->setDecimals(kBoundDecimals);
  m_bound->setRange(-kMostBound, kMostBound);
  m_bound->setSingleStep(0.01);
  m_table = new QTableWidget(this);
  m_table->setObjectName(QStringLiteral("headTable"));
  m_table->setAccessibleName(tr("Heads, the largest value first"));
  m_count = new QLabel(this);
  m_count->setObjectName(QStringLiteral("headCount"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Ok)->setText(tr("Select"));
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* row = new QHBoxLayout;
  row->addWidget(new QLabel(tr("Heads whose value is"), this));
  row->addWidget(m_order);
  row->addWidget(m_bound, 1);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(what);
  layout->addLayout(row);
  layout->addWidget(m_table, 1);
  layout->addWidget(m_count);
  layout->addWidget(buttons);
  fill(document);
  connect(m_order, &QComboBox::currentIndexChanged, this, &HeadSelectDialog::selectByBound);
  connect(m_bound, &QDoubleSpinBox::valueChanged, this, &HeadSelectDialog::selectByBound);
  connect(m_table, &QTableWidget::itemSelectionChanged, this, &HeadSelectDialog::refresh);
  refresh();
}

void HeadSelectDialog::fill(const Document& document) {
  const MaskScheme& masks = document.inputs().masks();
  for (int layer = 0; layer < masks.layers(); ++layer)
    for (int head = 0; head < masks.heads(layer); ++head)
      if (const auto value = document.numbers().value(layer, head))
        m_entries.push_back({{layer, head}, *value});
  std::stable_sort(m_entries.begin(), m_entries.end(),
                   [](const Entry& a, const Entry& b) { return a.value > b.value; });
  m_table->setColumnCount(3);
  m_table->setHorizontalHeaderLabels({tr("Head"), tr("Value"), tr("Mask")});
  m_table->setRowCount(static_cast<int>(m_entries.size()));
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const Entry& entry = m_entries[static_cast<std::size_t>(row)];
    const auto [layer, head] = entry.place;
    const QStringList cells{tr("layer %1, head %2").arg(layer).arg(head),
                            document.numbers().text(entry.value), maskText(masks.at(layer, head))};
    for (int column = 0; column < cells.size(); ++column)
      m_table->setItem(row, column, new QTableWidgetItem(cells[column]));
  }
  m_table->resizeColumnToContents(0);
  if (!m_entries.empty()) m_bound->setValue(m_entries[m_entries.size() / 2].value);
}

void HeadSelectDialog::selectByBound() {
  const bool below = m_order->currentIndex() == 0;
  QItemSelection chosen;
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const double value = m_entries[static_cast<std::size_t>(row)].value;
    if (below ? value < m_bound->value() : value > m_bound->value())
      chosen.select(m_table->model()->index(row, 0), m_table->model()->index(row, 2));
  }
  m_table->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect);
}

void HeadSelectDialog::refresh() {
  m_count->setText(m_entries.empty()
                       ? tr("No head has this metric yet.")
                       : tr("%1 of %2 heads").arg(heads().size()).arg(m_entries.size()));
}

std::vector<HeadPlace> HeadSelectDialog::heads() const {
  std::vector<HeadPlace> chosen;
  for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
    chosen.push_back(m_entries[static_cast<std::size_t>(index.row())].place);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace headlight
