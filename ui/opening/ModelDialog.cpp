// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/ModelDialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "core/models/Registry.h"
#include "core/workbench/hub/PublishedFamilies.h"
#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/forms/ModelForm.h"
#include "ui/forms/PathRow.h"
#include "ui/opening/ModelList.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/ListKeys.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

/// The published model of this name, if this is it; null where it was edited.
const PublishedModel* publishedAs(const ModelConfig& model) {
  const PublishedModel* published = findPublishedModel(model.name);
  return published && sameModel(published->config, model) ? published : nullptr;
}

/// "DeiT, tiny", and what the paper prints.
QString describePublished(const PublishedModel& model) {
  QString text = coreText(model.description);
  if (model.publishedParametersM <= 0) return text;
  const QString macs = model.publishedMacsG > 0
                           ? ModelDialog::tr(", %1 GMACs").arg(model.publishedMacsG)
                           : QString();
  return text + ModelDialog::tr("\nPublished: %1 M parameters").arg(model.publishedParametersM) +
         macs + QLatin1Char('.');
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

  begin();
  m_filter->setFocus();
}

/// Begins with the open model if it is a published one, else with what most people start from: its
/// dimensions are one's own, then.
void ModelDialog::begin() {
  const PublishedModel& usual = *commonModels().front();
  const InferenceInputs& open = m_document->inputs();
  m_own = open.canCompute() ? open.model().experiment.model : usual.config;
  const PublishedModel* published = publishedAs(m_own);
  selectModel(QString::fromStdString(published ? published->name : usual.name));
}

QWidget* ModelDialog::makeList() {
  auto* side = new QWidget(this);
  m_filter = new QLineEdit(side);
  m_filter->setObjectName(QStringLiteral("modelFilter"));
  m_filter->setPlaceholderText(tr("Filter models"));
  m_filter->setAccessibleName(tr("Filter models"));
  m_filter->setToolTip(
      tr("Selects the first model whose name or description contains these words; arrow keys move "
         "in the list, Enter opens"));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &ModelDialog::filterList);
  m_noMatch = new MessageLabel(side);
  m_noMatch->setObjectName(QStringLiteral("modelNoMatch"));
  m_list = new ModelList(side);
  m_list->setObjectName(QStringLiteral("modelList"));
  new ListKeys(m_filter, m_list);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &ModelDialog::onSelected);
  // Also a click on what is chosen already: that shows it as it is again.
  connect(m_list, &QTreeWidget::itemClicked, this, &ModelDialog::onSelected);
  connect(m_list, &QTreeWidget::itemDoubleClicked, this, [this] {
    if (m_valid && !m_list->chosen().isEmpty()) accept();
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

/// What Enter opens is always seen. Where nothing was found, the choice of before comes back.
void ModelDialog::filterList(const QString& text) {
  if (m_filtered.isEmpty()) m_before = m_list->chosen();
  m_filtered = text.trimmed();
  const bool found = m_list->filter(text);
  m_noMatch->setMessage(
      found ? QString() : tr("No model has “%1” in its name or description.").arg(text),
      MessageLabel::Tone::Plain);
  if (m_filtered.isEmpty() && m_list->chosen().isEmpty()) selectModel(m_before);
  check();
}

void ModelDialog::selectModel(const QString& name) {
  m_list->choose(name);
}

void ModelDialog::onSelected() {
  const QString name = m_list->chosen();
  if (name.isEmpty()) {  // a family is no model
    m_chosenText = m_list->family();
    return check();
  }
  if (const PublishedModel* published = findPublishedModel(name.toStdString())) {
    m_model = published->config;
    m_model.name = published->name;
    m_chosenText = describePublished(*published);
  } else {
    m_model = m_own;
    if (findPublishedModel(m_model.name)) m_model.name = "custom";
    m_chosenText = tr("Your own dimensions, starting from the open model.");
  }
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
                        .arg(millionsText(static_cast<double>(cost->parameters)),
                             billionsText(static_cast<double>(cost->macs)))
                        .arg(grid.rows)
                        .arg(grid.cols)
                        .arg(grid.tokens()));
  } else {
    m_cost->setText(tr("No model yet"));
  }
  m_error->setMessage(problem, MessageLabel::Tone::Problem);
  m_buttons->button(QDialogButtonBox::Open)->setEnabled(m_valid && !m_list->chosen().isEmpty());
  describe();
}

ModelCost ModelDialog::costWithMasks() const {
  const PublishedModel* published = publishedAs(m_model);
  return published ? costWithScheme(*published) : modelCost(m_model, experiment().masks);
}

void ModelDialog::describe() {
  const PublishedModel* chosen = findPublishedModel(m_list->chosen().toStdString());
  const bool edited = chosen && !(m_valid && isPublished());
  m_description->setText(
      edited ? tr("Your own dimensions, edited from %1. Click that in the list to restore it.")
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
  if (m_document->inputs().hasModel()) {
    source.device = m_document->inputs().model().experiment.device;
    source.threads = m_document->inputs().model().experiment.threads;
    source.seed = m_document->inputs().model().experiment.seed;
  }
  return source;
}

Experiment ModelDialog::experiment() const {
  Experiment experiment;
  if (m_document->inputs().canCompute()) {
    experiment = m_document->inputs().model().experiment;
    experiment.masks = describeMasks(m_document->inputs().masks());
    if (!resolveMasks(experiment.masks, makeMaskShape(m_model))) experiment.masks = {};
  }
  experiment.model = m_model;
  // A published name means exactly the published model, in configs, files and run folders.
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
