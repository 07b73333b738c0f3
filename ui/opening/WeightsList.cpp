// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/WeightsList.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/base/SanitizedText.h"
#include "ui/widgets/ListKeys.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

enum WeightsColumn { kModel, kTag, kParameters, kSize, kClasses, kLicense, kHere };

/// A name that can be fetched though it is not listed: "owner/name" of the hub.
bool isOther(const Result<PublishedWeights>& weights) {
  return weights && weights->parameters == 0;
}

}  // namespace

WeightsList::WeightsList(QWidget* parent)
    : QWidget(parent),
      m_weights(publishedWeights()),
      m_search(new QLineEdit(this)),
      m_noMatch(new MessageLabel(this)),
      m_list(new QTreeWidget(this)) {
  m_search->setObjectName(QStringLiteral("weightsSearch"));
  m_search->setPlaceholderText(tr("Search names, tags and licenses, or OWNER/NAME of the hub"));
  m_search->setAccessibleName(tr("Search published weights"));
  m_search->setToolTip(tr("Words in any order; arrow keys move in the list"));
  m_search->setClearButtonEnabled(true);
  new ListKeys(m_search, m_list);
  m_noMatch->setObjectName(QStringLiteral("weightsNoMatch"));
  m_list->setObjectName(QStringLiteral("weightsList"));
  m_list->setAccessibleName(tr("Published weights"));
  m_list->setHeaderLabels({tr("Model"), tr("Tag"), tr("Parameters"), tr("Size"), tr("Classes"),
                           tr("License"), tr("Here")});
  m_list->setRootIsDecorated(false);
  m_list->setUniformRowHeights(true);
  m_list->header()->setStretchLastSection(false);
  for (const PublishedWeights& weights : m_weights)
    addRow(weights);
  m_weights.emplace_back();  // the place of one that is not listed
  for (int column = kTag; column <= kHere; ++column)
    m_list->resizeColumnToContents(column);
  m_list->header()->setSectionResizeMode(kModel, QHeaderView::Stretch);
  connect(m_search, &QLineEdit::textChanged, this, &WeightsList::filter);
  connect(m_search, &QLineEdit::returnPressed, this, &WeightsList::activated);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &WeightsList::currentChanged);
  connect(m_list, &QTreeWidget::itemActivated, this, &WeightsList::activated);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_search);
  layout->addWidget(m_noMatch);
  layout->addWidget(m_list, 1);
  setFocusProxy(m_search);
}

QTreeWidgetItem* WeightsList::addRow(const PublishedWeights& weights) {
  const auto text = [](const std::string& part) { return displayName(part); };
  const bool listed = weights.parameters > 0;
  auto* row = new QTreeWidgetItem(
      m_list, {text(listed ? weights.architecture() : weights.repository),
               listed ? text(weights.tag()) : QString(), text(parametersText(weights)),
               text(sizeText(weights)), text(classesText(weights)), text(weights.license)});
  row->setToolTip(kModel, plainToolTip(text(weights.repository)));
  for (const int column : {kParameters, kSize})
    row->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  return row;
}

const PublishedWeights* WeightsList::current() const {
  QTreeWidgetItem* row = m_list->currentItem();
  if (!row || row->isHidden()) return nullptr;
  return &m_weights[static_cast<std::size_t>(m_list->indexOfTopLevelItem(row))];
}

void WeightsList::select(const QString& name) {
  for (std::size_t i = 0; i < m_weights.size(); ++i)
    if (m_weights[i].name == name.toStdString() && !m_weights[i].name.empty())
      m_list->setCurrentItem(m_list->topLevelItem(static_cast<int>(i)));
}

void WeightsList::search(const QString& words) {
  m_search->setText(words);
}

void WeightsList::filter(const QString& text) {
  showOther(text.trimmed());
  QTreeWidgetItem* first = nullptr;
  for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
    const PublishedWeights& weights = m_weights[static_cast<std::size_t>(i)];
    const bool other = weights.parameters == 0;
    const bool found = other || isFoundBy(weights, text.toStdString());
    m_list->topLevelItem(i)->setHidden(!found);
    if (found && (!first || other)) first = m_list->topLevelItem(i);
  }
  m_noMatch->setMessage(first ? QString() : tr("No published weights match “%1”.").arg(text),
                        MessageLabel::Tone::Plain);
  m_list->setCurrentItem(text.trimmed().isEmpty() ? nullptr : first);
  Q_EMIT currentChanged();
}

void WeightsList::showOther(const QString& text) {
  const int row = static_cast<int>(m_weights.size()) - 1;
  delete m_list->takeTopLevelItem(row);
  m_weights.back() = {};
  if (!text.contains(QLatin1Char('/'))) return;
  const auto weights = weightsNamed(text.toStdString());
  if (!isOther(weights)) return;
  m_weights.back() = *weights;
  addRow(*weights);
}

void WeightsList::setHere(const std::set<std::string>& names) {
  m_here = names;
  markHere();
  Q_EMIT currentChanged();
}

void WeightsList::markHere() {
  for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
    const bool here = isHere(m_weights[static_cast<std::size_t>(i)]);
    m_list->topLevelItem(i)->setText(kHere, here ? tr("here") : QString());
  }
}

}  // namespace headlight
