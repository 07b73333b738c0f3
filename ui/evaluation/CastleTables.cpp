// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/CastleTables.h"

#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>

#include <cmath>

#include "ui/evaluation/ShareCells.h"

namespace headlight {
namespace {

enum AccuracyRow { kWithBranch, kCastledRow, kChangeRow };
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

/// Bars are as shares of the fullest layer's.
double mostNonzeros(const CastlingReport& report) {
  double most = 0;
  for (const auto& layer : report.layers)
    if (layer.nonzeros > most) most = layer.nonzeros;
  return most;
}

}  // namespace

CastleTables::CastleTables(QWidget* parent)
    : QWidget(parent),
      m_accuracy(plainTable("castleAccuracy", tr("Accuracy with and without the branch"),
                            {QString(), tr("Pictures"), tr("Loss"), tr("Top-1"), tr("Top-5")},
                            this)),
      m_layers(plainTable("castleLayers", tr("What is left of the branch in every layer"),
                          {tr("Layer"), tr("Nonzeros"), tr("Entries a picture")}, this)) {
  m_layers->setItemDelegateForColumn(kNonzeroColumn, new BarDelegate(this));
  m_layers->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  m_layers->setToolTip(tr(
      "The share of the auxiliary mask that is not 0, and as many entries of a picture's heads × "
      "tokens × tokens; the longest bar is the fullest layer"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_accuracy, 1);
  layout->addWidget(m_layers, 3);
}

void CastleTables::setReport(const CastlingReport* report) {
  m_accuracy->setRowCount(0);
  m_layers->setRowCount(0);
  if (!report) return;
  fillAccuracy(*report);
  fillLayers(*report);
}

void CastleTables::fillAccuracy(const CastlingReport& report) {
  const EvaluationResult &with = report.with, &castled = report.castled;
  const auto points = [](double change) {
    return tr("%1 points").arg(changeText(100 * change, 2));
  };
  m_accuracy->setRowCount(kChangeRow + 1);
  fillRow(m_accuracy, kWithBranch, tr("with the auxiliary branch"), cellsOf(with));
  fillRow(m_accuracy, kCastledRow, tr("castled"), cellsOf(castled));
  fillRow(m_accuracy, kChangeRow, tr("change"),
          {QString(), changeText(castled.loss - with.loss, 4), points(castled.top1 - with.top1),
           points(castled.top5 - with.top5)});
}

void CastleTables::fillLayers(const CastlingReport& report) {
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
