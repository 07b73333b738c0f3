// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/DropBranchTables.h"

#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <cmath>

#include "ui/evaluation/ShareCells.h"

namespace headlight {
namespace {

enum AccuracyRow { kWithBranch, kWithoutBranchRow, kChangeRow };
enum LayerColumn { kLayerColumn, kNonzeroColumn, kEntriesColumn, kLayerColumns };

QTableWidget* plainTable(const char* name, const QString& accessibleName,
                         const QStringList& columns, QWidget* parent) {
  auto* table = new QTableWidget(0, static_cast<int>(columns.size()), parent);
  table->setObjectName(QString::fromLatin1(name));
  table->setAccessibleName(accessibleName);
  table->setHorizontalHeaderLabels(columns);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->verticalHeader()->hide();
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  return table;
}

QString percentText(double share) {
  return QStringLiteral("%1 %").arg(100 * share, 0, 'f', 2);
}

QString changeText(double change, int decimals) {
  const QString number = QString::number(std::abs(change), 'f', decimals);
  if (number.toDouble() == 0) return QStringLiteral("±0");
  return (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) + number;
}

void fillRow(QTableWidget* table, int row, const QString& name, const QStringList& cells) {
  table->setItem(row, 0, new QTableWidgetItem(name));
  for (int i = 0; i < cells.size(); ++i)
    table->setItem(row, i + 1, numberCell(0, cells[i]));
}

QStringList cellsOf(const EvaluationResult& result) {
  return {QString::number(result.images), QString::number(result.loss, 'f', 4),
          percentText(result.top1), percentText(result.top5)};
}

/// The largest share, for the lengths of the bars.
double mostNonzeros(const BranchReport& report) {
  double most = 0;
  for (const auto& layer : report.layers)
    if (layer.nonzeros > most) most = layer.nonzeros;
  return most;
}

}  // namespace

DropBranchTables::DropBranchTables(QWidget* parent)
    : QWidget(parent),
      m_accuracy(plainTable("castleAccuracy", tr("Accuracy with and without the branch"),
                            {QString(), tr("Images"), tr("Loss"), tr("Top-1"), tr("Top-5")}, this)),
      m_layers(plainTable("castleLayers", tr("Nonzero entries of the branch per layer"),
                          {tr("Layer"), tr("Nonzeros"), tr("Entries per image")}, this)) {
  m_layers->setItemDelegateForColumn(kNonzeroColumn, new BarDelegate(this));
  m_layers->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  m_layers->setToolTip(
      tr("Nonzero share of the auxiliary mask, and the nonzero entries of one image (heads × "
         "tokens × tokens). The longest bar is the fullest layer"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_accuracy, 1);
  layout->addWidget(m_layers, 3);
}

void DropBranchTables::setReport(const BranchReport* report) {
  m_accuracy->setRowCount(0);
  m_layers->setRowCount(0);
  if (!report) return;
  fillAccuracy(*report);
  fillLayers(*report);
}

void DropBranchTables::fillAccuracy(const BranchReport& report) {
  const EvaluationResult &with = report.with, &withoutBranch = report.withoutBranch;
  const auto points = [](double change) {
    return tr("%1 points").arg(changeText(100 * change, 2));
  };
  m_accuracy->setRowCount(kChangeRow + 1);
  fillRow(m_accuracy, kWithBranch, tr("with the auxiliary branch"), cellsOf(with));
  fillRow(m_accuracy, kWithoutBranchRow, tr("without the auxiliary branch"),
          cellsOf(withoutBranch));
  fillRow(m_accuracy, kChangeRow, tr("change"),
          {QString(), changeText(withoutBranch.loss - with.loss, 4),
           points(withoutBranch.top1 - with.top1), points(withoutBranch.top5 - with.top5)});
}

void DropBranchTables::fillLayers(const BranchReport& report) {
  const double most = mostNonzeros(report);
  m_layers->setRowCount(static_cast<int>(report.layers.size()));
  for (int row = 0; row < m_layers->rowCount(); ++row) {
    const auto& layer = report.layers[static_cast<std::size_t>(row)];
    const bool none = std::isnan(layer.nonzeros);
    m_layers->setItem(row, kLayerColumn, numberCell(row, QString::number(row)));
    m_layers->setItem(row, kNonzeroColumn,
                      numberCell(none || most == 0 ? 0 : layer.nonzeros / most,
                                 none ? tr("no auxiliary branch")
                                      : tr("%1 %").arg(100 * layer.nonzeros, 0, 'g', 3)));
    m_layers->setItem(row, kEntriesColumn,
                      numberCell(none ? 0 : layer.perImage,
                                 none ? QString() : QString::number(layer.perImage, 'g', 6)));
  }
}

}  // namespace headlight
