// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelDialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

#include "core/models/Registry.h"
#include "ui/document/Document.h"
#include "ui/forms/ModelForm.h"
#include "ui/forms/PathRow.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/ListKeys.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kNameRole = Qt::UserRole;

/// "5.72 M", "1.25 G": three digits and a prefix.
QString scaled(std::int64_t count) {
  const auto value = static_cast<double>(count);
  const auto [unit, divisor] = value >= 999.5e6   ? std::pair("G", 1e9)
                               : value >= 999.5e3 ? std::pair("M", 1e6)
                                                  : std::pair("k", 1e3);
  return QStringLiteral("%1 %2").arg(value / divisor, 0, 'g', 3).arg(QLatin1String(unit));
}

/// The published model of this name, if this is it; null where it was edited.
const PublishedModel* publishedAs(const ModelConfig& model) {
  const PublishedModel* published = findPublishedModel(model.name);
  return published && sameModel(published->config, model) ? published : nullptr;
}

/// Of a published model as it opens: with its scheme.
ModelCost costOf(const PublishedModel& model) {
  MaskConfig masks;
  masks.scheme = model.scheme;
  return modelCost(model.config, masks);
}

bool isCustom(const QTreeWidgetItem* item) {
  return item->data(0, kNameRole).toString() == QStringLiteral("custom");
}

bool hasAll(const QString& text, const QStringList& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

ModelDialog::ModelDialog(Document* document, QWidget* parent)
    : QDialog(parent), m_document(document) {
  setObjectName(QStringLiteral("modelDialog"));
  setWindowTitle(tr("Open model"));
  resize(900, 620);
  auto* splitter = new QSplitter(this);
  splitter->addWidget(makeList());
  splitter->addWidget(makeDetails());
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({380, 520});
  splitter->setChildrenCollapsible(false);
  m_buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
  m_buttons->button(QDialogButtonBox::Open)->setObjectName(QStringLiteral("openModel"));
  connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(splitter, 1);
  layout->addWidget(m_buttons);

  fillList();
  if (document->canCompute()) {
    m_model = document->model().experiment.model;
    selectShown();
  } else {
    selectModel(QStringLiteral("deit_tiny_patch16_224"));
  }
  m_filter->setFocus();
}

QWidget* ModelDialog::makeList() {
  auto* side = new QWidget(this);
  m_filter = new QLineEdit(side);
  m_filter->setObjectName(QStringLiteral("modelFilter"));
  m_filter->setPlaceholderText(tr("Filter models"));
  m_filter->setAccessibleName(tr("Filter models"));
  m_filter->setToolTip(
      tr("Chooses the first model whose name or description has these words; arrows go on in the "
         "list, Enter opens"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &ModelDialog::filterList);
  m_noMatch = new MessageLabel(side);
  m_noMatch->setObjectName(QStringLiteral("modelNoMatch"));
  m_list = new QTreeWidget(side);
  new ListKeys(m_filter, m_list);
  m_list->setObjectName(QStringLiteral("modelList"));
  m_list->setAccessibleName(tr("Published models"));
  m_list->setHeaderLabels({tr("Model"), tr("Parameters"), tr("MACs")});
  m_list->setRootIsDecorated(false);
  m_list->setUniformRowHeights(true);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  m_list->header()->setSectionResizeMode(2, QHeaderView::ResizeToContents);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &ModelDialog::onSelected);
  // Also a click on what is chosen already: that shows it as it is again.
  connect(m_list, &QTreeWidget::itemClicked, this, &ModelDialog::onSelected);
  connect(m_list, &QTreeWidget::itemDoubleClicked, this, [this] {
    if (m_valid) accept();
  });
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_filter);
  layout->addWidget(m_noMatch);
  layout->addWidget(m_list, 1);
  return side;
}

QWidget* ModelDialog::makeDetails() {
  auto* side = new QWidget(this);
  m_description = new QLabel(side);
  m_description->setObjectName(QStringLiteral("modelDescription"));
  m_description->setWordWrap(true);
  m_description->setTextFormat(Qt::PlainText);
  m_form = new ModelForm(side);
  connect(m_form, &ModelForm::changed, this, &ModelDialog::check);
  m_cost = new QLabel(side);
  m_cost->setObjectName(QStringLiteral("modelCost"));
  QFont bold = font();
  bold.setBold(true);
  m_cost->setFont(bold);
  m_cost->setWordWrap(true);
  m_error = new MessageLabel(side);
  m_error->setObjectName(QStringLiteral("modelError"));

  m_weights = new PathRow({"modelWeights",
                           tr("&Weights"),
                           tr("Weights"),
                           tr("A checkpoint to load into the model: .safetensors or .pth"),
                           tr("none: random weights"),
                           "browseWeights",
                           tr("Browse…"),
                           {}},
                          side);
  connect(m_weights, &PathRow::browseRequested, this, &ModelDialog::chooseWeights);

  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(6, 0, 0, 0);
  layout->addWidget(m_description);
  layout->addWidget(m_form, 1);
  layout->addWidget(m_cost);
  layout->addWidget(m_error);
  layout->addWidget(m_weights);
  return side;
}

void ModelDialog::fillList() {
  auto* custom = new QTreeWidgetItem(m_list, {tr("Custom…"), QString(), QString()});
  custom->setData(0, kNameRole, QStringLiteral("custom"));
  custom->setToolTip(0, tr("A shape of your own"));
  for (const PublishedModel& model : publishedModels()) {
    const ModelCost cost = costOf(model);
    const QString name = QString::fromStdString(model.name);
    auto* item = new QTreeWidgetItem(m_list, {name, scaled(cost.parameters), scaled(cost.macs)});
    item->setData(0, kNameRole, name);
    item->setToolTip(0, QString::fromStdString(model.description));
    for (const int column : {1, 2})
      item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  }
}

/// Chooses the first that has the words in its name, before those that are only described by them:
/// what Enter opens is always seen. One's own shape goes by its name alone.
void ModelDialog::filterList(const QString& text) {
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  QTreeWidgetItem *named = nullptr, *described = nullptr;
  for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = m_list->topLevelItem(i);
    const QString name = item->text(0);
    const QString all = isCustom(item) ? name : name + QLatin1Char(' ') + item->toolTip(0);
    const bool matches = hasAll(all, words);
    item->setHidden(!matches);
    if (matches && !described) described = item;
    if (!named && hasAll(name, words)) named = item;
  }
  m_noMatch->setMessage(
      described ? QString() : tr("No model has “%1” in its name or description.").arg(text),
      MessageLabel::Tone::Plain);
  if (!words.isEmpty())
    m_list->setCurrentItem(named ? named : described);
  else if (!m_list->currentItem())
    selectShown();
  check();
}

void ModelDialog::selectShown() {
  const PublishedModel* published = publishedAs(m_model);
  selectModel(published ? QString::fromStdString(published->name) : QStringLiteral("custom"));
}

void ModelDialog::selectModel(const QString& name) {
  for (int i = 0; i < m_list->topLevelItemCount(); ++i)
    if (m_list->topLevelItem(i)->data(0, kNameRole).toString() == name)
      return m_list->setCurrentItem(m_list->topLevelItem(i));
}

void ModelDialog::onSelected() {
  const QTreeWidgetItem* item = m_list->currentItem();
  if (!item) return;
  const QString name = item->data(0, kNameRole).toString();
  QString description = tr("A shape of your own, beginning with what was shown last.");
  if (const PublishedModel* published = findPublishedModel(name.toStdString())) {
    m_model = published->config;
    m_model.name = published->name;
    description = QString::fromStdString(published->description);
    if (published->publishedParametersM > 0) {
      description += tr("\nPublished: %1 M parameters").arg(published->publishedParametersM);
      if (published->publishedMacsG > 0)
        description += tr(", %1 GMACs").arg(published->publishedMacsG);
      description += QLatin1Char('.');
    }
  } else if (findPublishedModel(m_model.name)) {
    m_model.name = "custom";
  }
  m_chosenText = description;
  m_form->setModel(m_model);
  check();
}

void ModelDialog::check() {
  const auto model = m_form->model();
  QString problem = model ? QString() : QString::fromStdString(model.error().message);
  if (model) m_model = *model;
  // Counting asks the mechanism, which may still refuse a size that no single parameter shows.
  const auto cost =
      model ? guarded("model", [&] { return costWithMasks(); }) : Result<ModelCost>(model.error());
  if (model && !cost) {
    problem = QString::fromStdString(cost.error().message);
    m_form->showError(cost.error());
  }
  m_valid = problem.isEmpty();
  if (m_valid) {
    const Grid grid = m_model.grid();
    m_cost->setText(tr("%1 parameters · %2MACs · %3 × %4 patches, %5 tokens")
                        .arg(scaled(cost->parameters), scaled(cost->macs))
                        .arg(grid.rows)
                        .arg(grid.cols)
                        .arg(grid.tokens()));
  } else {
    m_cost->setText(tr("No model yet"));
  }
  m_error->setMessage(problem, MessageLabel::Tone::Problem);
  m_buttons->button(QDialogButtonBox::Open)->setEnabled(m_valid && m_list->currentItem());
  describe();
}

ModelCost ModelDialog::costWithMasks() const {
  const PublishedModel* published = publishedAs(m_model);
  return published ? costOf(*published) : modelCost(m_model, experiment().masks);
}

void ModelDialog::describe() {
  const QTreeWidgetItem* item = m_list->currentItem();
  const PublishedModel* chosen =
      item ? findPublishedModel(item->data(0, kNameRole).toString().toStdString()) : nullptr;
  const bool edited = chosen && !(m_valid && isPublished());
  m_description->setText(edited ? tr("A shape of your own, edited from %1. Click that in the list "
                                     "to have it back as it was.")
                                      .arg(QString::fromStdString(chosen->name))
                                : m_chosenText);
}

bool ModelDialog::isPublished() const {
  return publishedAs(m_model) != nullptr;
}

std::filesystem::path ModelDialog::weights() const {
  return m_weights->path().trimmed().toStdString();
}

ModelSource ModelDialog::source() const {
  ModelSource source;
  source.model = m_model.name;
  source.weights = weights();
  if (m_document->hasModel()) {
    source.device = m_document->model().experiment.device;
    source.threads = m_document->model().experiment.threads;
    source.seed = m_document->model().experiment.seed;
  }
  return source;
}

Experiment ModelDialog::experiment() const {
  Experiment experiment;
  if (m_document->canCompute()) {
    experiment = m_document->model().experiment;
    experiment.masks = describeMasks(m_document->masks());
    if (!resolveMasks(experiment.masks, maskShapeOf(m_model))) experiment.masks = {};
  }
  experiment.model = m_model;
  // A published name stands for the published model alone, in configs, files and run folders.
  if (findPublishedModel(m_model.name) && !isPublished()) experiment.model.name = "custom";
  if (const PublishedModel* published = findPublishedModel(experiment.name);
      published && published != publishedAs(m_model))
    experiment.name = experiment.model.name;
  experiment.edits.clear();
  experiment.training.weights = weights().string();
  return experiment;
}

void ModelDialog::chooseWeights() {
  FileQuestion question;
  question.title = tr("Weights");
  question.filter = tr("Checkpoints (*.safetensors *.pth *.pt *.bin);;All files (*)");
  askForPath(this, question, [this](const QString& path) { m_weights->setPath(path); });
}

}  // namespace headlight
