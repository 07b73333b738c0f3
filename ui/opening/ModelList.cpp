// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelList.h"

#include <QHeaderView>
#include <QLocale>

#include <algorithm>

#include "core/models/Registry.h"
#include "core/workbench/hub/PublishedFamilies.h"
#include "ui/base/CoreText.h"

namespace headlight {
namespace {

constexpr int kNameRole = Qt::UserRole;
constexpr int kPaperRole = Qt::UserRole + 1;

/// Three digits, and no exponent where there are more.
QString threeDigits(double value) {
  if (value < 999.5) return QString::number(value, 'g', 3);
  return QLocale(QLocale::English, QLocale::UnitedStates).toString(value, 'f', 0);
}

QString nameOf(const QTreeWidgetItem* item) {
  return item ? item->data(0, kNameRole).toString() : QString();
}

bool hasAll(const QString& text, const QStringList& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

/// One's own dimensions go by their name alone.
QString textToSearch(const QTreeWidgetItem* item) {
  QString name = item->text(0);
  if (!item->parent()) return name;
  return QStringList{name, item->toolTip(0), item->parent()->text(0)}.join(QLatin1Char(' '));
}

}  // namespace

QString millionsText(double count) {
  return QStringLiteral("%1 M").arg(threeDigits(count / 1e6));
}

QString billionsText(double count) {
  return QStringLiteral("%1 G").arg(threeDigits(count / 1e9));
}

ModelCost costWithScheme(const PublishedModel& model) {
  MaskConfig masks;
  masks.scheme = model.scheme;
  return modelCost(model.config, masks);
}

ModelList::ModelList(QWidget* parent) : QTreeWidget(parent) {
  setAccessibleName(tr("Published models"));
  setHeaderLabels({tr("Model"), tr("Parameters"), tr("MACs")});
  setUniformRowHeights(true);
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(0, QHeaderView::Stretch);
  header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  m_common = addFamily(tr("Common"), tr("What most people start from"));
  for (const PublishedModel* model : commonModels())
    addModel(m_common, *model);
  for (const PublishedFamily& family : publishedFamilies()) {
    QTreeWidgetItem* item = addFamily(coreText(family.title), coreText(family.paper));
    for (const PublishedModel* model : family.models)
      addModel(item, *model);
  }
  auto* custom = new QTreeWidgetItem(this, {tr("Custom…")});
  custom->setData(0, kNameRole, QStringLiteral("custom"));
  custom->setToolTip(0, tr("Set your own dimensions"));
  m_common->setExpanded(true);
}

QTreeWidgetItem* ModelList::addFamily(const QString& title, const QString& paper) {
  auto* item = new QTreeWidgetItem(
      this, {paper.isEmpty() ? title : QStringLiteral("%1 · %2").arg(title, paper)});
  item->setData(0, kPaperRole, item->text(0));
  item->setToolTip(0, item->text(0));
  item->setFirstColumnSpanned(true);
  QFont bold = font();
  bold.setBold(true);
  item->setFont(0, bold);
  return item;
}

void ModelList::addModel(QTreeWidgetItem* family, const PublishedModel& model) {
  const ModelCost cost = costWithScheme(model);
  const QString name = QString::fromStdString(model.name);
  auto* item =
      new QTreeWidgetItem(family, {name, millionsText(static_cast<double>(cost.parameters)),
                                   billionsText(static_cast<double>(cost.macs))});
  item->setData(0, kNameRole, name);
  item->setToolTip(0, coreText(model.description));
  for (const int column : {1, 2})
    item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
}

/// In the order shown, one's own dimensions last.
QList<QTreeWidgetItem*> ModelList::models() const {
  QList<QTreeWidgetItem*> found;
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = topLevelItem(i);
    if (!nameOf(item).isEmpty()) found << item;
    for (int k = 0; k < item->childCount(); ++k)
      found << item->child(k);
  }
  return found;
}

QString ModelList::chosen() const {
  return nameOf(currentItem());
}

QString ModelList::family() const {
  return currentItem() ? currentItem()->data(0, kPaperRole).toString() : QString();
}

void ModelList::choose(const QString& name) {
  for (QTreeWidgetItem* item : models())
    if (nameOf(item) == name) {
      if (item->parent()) item->parent()->setExpanded(true);
      return setCurrentItem(item);
    }
}

/// The usual ones are found in their families.
bool ModelList::filter(const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QTreeWidgetItem *named = nullptr, *described = nullptr;
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* family = topLevelItem(i);
    family->setHidden(!words.isEmpty());
    const bool first = family == m_common || (currentItem() && family == currentItem()->parent());
    family->setExpanded(first || !words.isEmpty());
  }
  for (QTreeWidgetItem* item : models()) {
    const bool matches =
        hasAll(textToSearch(item), words) && (words.isEmpty() || item->parent() != m_common);
    item->setHidden(!matches);
    if (!matches) continue;
    if (item->parent()) item->parent()->setHidden(false);
    if (!described) described = item;
    if (!named && hasAll(item->text(0), words)) named = item;
  }
  if (!words.isEmpty()) setCurrentItem(named ? named : described);
  return described;
}

}  // namespace headlight
