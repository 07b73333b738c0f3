// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/SpeedFields.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/models/Registry.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/forms/DeviceBox.h"
#include "ui/widgets/LabeledFields.h"

namespace headlight {
namespace {

constexpr int kMostImages = 4096, kMostRepeats = 1000;
constexpr int kOpenModel = 0;  ///< its row, before the published ones

QListWidgetItem* addChoice(QListWidget* list, const QString& text) {
  auto* item = new QListWidgetItem(text, list);
  item->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  item->setCheckState(Qt::Unchecked);
  return item;
}

QListWidget* makeChoices(const char* name, const QString& what, QWidget* parent) {
  auto* list = new QListWidget(parent);
  list->setObjectName(QString::fromLatin1(name));
  list->setAccessibleName(what);
  list->setUniformItemSizes(true);
  return list;
}

std::vector<std::string> chosenIn(const QListWidget* list, int first) {
  std::vector<std::string> chosen;
  for (int row = first; row < list->count(); ++row)
    if (list->item(row)->checkState() == Qt::Checked)
      chosen.push_back(list->item(row)->text().toStdString());
  return chosen;
}

Error speedError(const QString& text) {
  return {ErrorCode::InvalidArgument, text.toStdString(), ""};
}

}  // namespace

SpeedFields::SpeedFields(const Document* document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makeModels(), 3);
  layout->addWidget(makeMechanisms(), 2);
  layout->addWidget(makeNumbers());
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &SpeedFields::showOpenModel);
  showOpenModel();
  m_models->item(kOpenModel)
      ->setCheckState(document->inputs().canCompute() ? Qt::Checked : Qt::Unchecked);
  for (QListWidget* list : {m_models, m_mechanisms})
    connect(list, &QListWidget::itemChanged, this, &SpeedFields::changed);
  connect(m_batches, &QLineEdit::textChanged, this, &SpeedFields::changed);
  connect(m_recompute, &QCheckBox::toggled, this, &SpeedFields::changed);
  setForParts(false);
}

QWidget* SpeedFields::makeModels() {
  auto* part = new QWidget(this);
  m_models = makeChoices("speedModels", tr("Models"), part);
  addChoice(m_models, QString());
  for (const PublishedModel& published : publishedModels())
    addChoice(m_models, QString::fromStdString(published.name));
  m_filter = new QLineEdit(part);
  m_filter->setObjectName(QStringLiteral("speedFilter"));
  m_filter->setAccessibleName(tr("Filter models"));
  m_filter->setPlaceholderText(tr("Filter"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &SpeedFields::filterModels);
  setTabOrder(m_filter, m_models);
  auto* label = new QLabel(tr("&Models"), part);
  label->setBuddy(m_models);
  auto* layout = new QVBoxLayout(part);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(m_filter);
  layout->addWidget(m_models, 1);
  return part;
}

QWidget* SpeedFields::makeMechanisms() {
  auto* part = new QWidget(this);
  m_mechanisms = makeChoices("speedMechanisms", tr("Mechanisms"), part);
  m_mechanisms->setToolTip(
      plainToolTip(tr("Measures each model with each checked mechanism and without masks. None "
                      "checked: the model's own mechanism and masks.")));
  for (const Variant& mechanism : modelCatalog().mechanisms)
    if (!mechanism.special)
      addChoice(m_mechanisms, QString::fromStdString(mechanism.name))
          ->setToolTip(plainToolTip(QString::fromStdString(mechanism.help)));
  auto* label = new QLabel(tr("Mec&hanisms"), part);
  label->setBuddy(m_mechanisms);
  auto* layout = new QVBoxLayout(part);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(m_mechanisms, 1);
  return part;
}

QWidget* SpeedFields::makeNumbers() {
  auto* part = new QWidget(this);
  m_batches = new QLineEdit(QStringLiteral("1, 8"), part);
  m_batches->setObjectName(QStringLiteral("speedBatches"));
  m_batches->setToolTip(tr("One or more batch sizes, separated by commas"));
  m_precision = new QComboBox(part);
  m_precision->setObjectName(QStringLiteral("speedPrecision"));
  for (const char* name : {"float32", "bfloat16", "float16"})  // as training.precision has them
    m_precision->addItem(QString::fromLatin1(name), QString::fromLatin1(name));
  m_device = makeDeviceBox(part);
  m_device->setObjectName(QStringLiteral("speedDevice"));
  m_repeats = new QSpinBox(part);
  m_repeats->setObjectName(QStringLiteral("speedRepeats"));
  m_repeats->setRange(1, kMostRepeats);
  m_repeats->setValue(BenchOptions().repeats);
  m_repeats->setToolTip(tr("Number of measurements; the median is shown"));
  m_recompute = new QCheckBox(tr("&Also with activation checkpointing"), part);
  m_recompute->setObjectName(QStringLiteral("speedRecompute"));
  auto* form = new QFormLayout(part);
  form->setContentsMargins(0, 0, 0, 0);
  form->addRow(tr("&Batch sizes"), m_batches);
  form->addRow(tr("&Precision"), m_precision);
  form->addRow(tr("&Device"), m_device);
  form->addRow(tr("&Repeats"), m_repeats);
  form->addRow(m_recompute);
  return part;
}

void SpeedFields::setForParts(bool parts) {
  setUsable(m_recompute,
            plainToolTip(tr("Measures each model a second time with blocks that are computed again "
                            "in the backward pass: less memory, more time (checkpoint_blocks)")),
            parts ? tr("Blocks that are computed again have no parts of their own") : QString());
}

void SpeedFields::showOpenModel() {
  QListWidgetItem* item = m_models->item(kOpenModel);
  const bool open = m_document->inputs().canCompute();
  item->setText(open ? tr("The open model: %1").arg(modelTitle(m_document->inputs().model()))
                     : tr("The open model (none)"));
  item->setFlags(open ? item->flags() | Qt::ItemIsEnabled : item->flags() & ~Qt::ItemIsEnabled);
  if (!open) item->setCheckState(Qt::Unchecked);
  Q_EMIT changed();
}

/// What is checked stays in sight.
void SpeedFields::filterModels(const QString& text) {
  for (int row = kOpenModel + 1; row < m_models->count(); ++row) {
    QListWidgetItem* item = m_models->item(row);
    item->setHidden(item->checkState() != Qt::Checked &&
                    !item->text().contains(text.trimmed(), Qt::CaseInsensitive));
  }
}

Result<std::vector<std::int64_t>> SpeedFields::batches() const {
  std::vector<std::int64_t> sizes;
  for (const QString& word : m_batches->text().split(',', Qt::SkipEmptyParts)) {
    bool isNumber = false;
    const int size = word.trimmed().toInt(&isNumber);
    if (!isNumber || size < 1 || size > kMostImages)
      return speedError(tr("A batch size is a number from 1 to %1, not “%2”.")
                            .arg(kMostImages)
                            .arg(displayName(word.trimmed())));
    sizes.push_back(size);
  }
  if (sizes.empty()) return speedError(tr("Enter a batch size."));
  return sizes;
}

Result<BenchOptions> SpeedFields::options() const {
  BenchOptions options;
  options.models = chosenIn(m_models, kOpenModel + 1);
  options.mechanisms = chosenIn(m_mechanisms, 0);
  options.precisions = {m_precision->currentText().toStdString()};
  options.device = m_device->currentText().toStdString();
  options.repeats = m_repeats->value();
  options.recomputing = m_recompute->isEnabledTo(this) && m_recompute->isChecked();
  if (m_models->item(kOpenModel)->checkState() == Qt::Checked) {
    const ModelInfo& open = m_document->inputs().model();
    options.threads = open.experiment.threads;
    options.given.push_back({modelTitle(open).toStdString(),
                             {open.experiment.model, describeMasks(m_document->inputs().masks())}});
  }
  if (options.models.empty() && options.given.empty())
    return speedError(tr("Check at least one model."));
  auto sizes = batches();
  if (!sizes) return sizes.error();
  options.batches = *sizes;
  return options;
}

}  // namespace headlight
