// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceForms.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/config/DatasetKinds.h"
#include "ui/base/CoreText.h"
#include "ui/document/SequenceSettings.h"
#include "ui/forms/IdleFields.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/IconButton.h"

namespace headlight {
namespace {

QWidget* paddedTab(QWidget* content, QWidget* parent) {
  auto* frame = new QWidget(parent);
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(4, 10, 4, 4);
  layout->addWidget(content);
  return frame;
}

}  // namespace

SequenceForms::SequenceForms(const SequenceExperiment& start, QWidget* parent)
    : QTabWidget(parent), m_start(start) {
  setObjectName(QStringLiteral("sequenceSettings"));
  setAccessibleName(tr("Settings"));
  setDocumentMode(true);
  addTab(paddedTab(makeDataTab(), this), tr("Data"));
  addTab(paddedTab(addForm("model"), this), tr("Model"));
  addTab(paddedTab(makeTrainingTab(), this), tr("Training"));
  addTab(paddedTab(addForm(""), this), tr("Run"));
}

ParameterForm* SequenceForms::addForm(const std::string& key) {
  auto* form = new ParameterForm(*sequenceSection(key).table, QString::fromStdString(key), this);
  const Json all = sequenceToJson(m_start);
  form->setValues(key.empty() ? writeParameters(sequenceRunParameters(), &m_start) : all[key]);
  connect(form, &ParameterForm::changed, this, &SequenceForms::changed);
  if (key.empty()) connect(form, &ParameterForm::changed, this, &SequenceForms::runChanged);
  m_forms[key] = form;
  return form;
}

QWidget* SequenceForms::makeDataTab() {
  auto* page = new QWidget(this);
  auto* images = iconButton(page, "chooseImages", tr("Image &Folder…"), "folder",
                            tr("Train on the images of a folder, or on CIFAR-10's binary files"));
  auto* text = iconButton(page, "chooseTextFile", tr("Te&xt File…"), "open",
                          tr("Train on the bytes of a file"));
  connect(images, &QPushButton::clicked, this, &SequenceForms::imagesWanted);
  connect(text, &QPushButton::clicked, this, &SequenceForms::textFileWanted);
  m_buttons = {images, text};
  auto* row = new QHBoxLayout;
  row->addWidget(images);
  row->addWidget(text);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(addForm("data"), 1);
  return page;
}

QWidget* SequenceForms::makeTrainingTab() {
  auto* page = new QWidget(this);
  auto* weights = iconButton(page, "chooseStartWeights", tr("Starting &Weights…"), "weights",
                             tr("Start with the weights of a run of the same model"));
  connect(weights, &QPushButton::clicked, this, &SequenceForms::startWeightsWanted);
  m_buttons.push_back(weights);
  auto* row = new QHBoxLayout;
  row->addWidget(weights);
  row->addStretch(1);
  auto* layout = new QVBoxLayout(page);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(row);
  layout->addWidget(addForm("training"), 1);
  return page;
}

Json SequenceForms::settings(const SequenceExperiment& experiment) const {
  return withValues(sequenceToJson(experiment), m_forms);
}

void SequenceForms::showSettings(const Json& json) {
  for (const auto& [key, form] : m_forms) {
    Json values = Json::object();
    for (const Parameter& parameter : *sequenceSection(key).table) {
      const Json& section = key.empty() ? json : json.at(key);
      values[parameter.name] = section.at(parameter.name);
    }
    form->setValues(values);
  }
}

QString SequenceForms::firstError() const {
  for (const Section& section : sequenceSections())
    if (const QString error = m_forms.at(section.key)->firstError(); !error.isEmpty())
      return tr("%1: %2").arg(coreText(section.title), error);
  return {};
}

Json SequenceForms::name() const {
  return m_forms.at("")->values()["name"];
}

void SequenceForms::setImages(const QString& folder) {
  ParameterForm* form = m_forms.at("data");
  form->setValue(QStringLiteral("kind"), "images");
  form->setValue(QStringLiteral("dataset"), kImageFolder);
  form->setValue(QStringLiteral("path"), folder.toStdString());
}

void SequenceForms::setDataset(const std::string& kind) {
  m_forms.at("data")->setValue(QStringLiteral("dataset"), kind);
}

void SequenceForms::setTextFile(const QString& path) {
  m_forms.at("data")->setValue(QStringLiteral("kind"), "text");
  m_forms.at("data")->setValue(QStringLiteral("path"), path.toStdString());
}

void SequenceForms::setStartWeights(const QString& path) {
  m_forms.at("training")->setValue(QStringLiteral("weights"), path.toStdString());
}

void SequenceForms::hideIdleFields() {
  const Json data = m_forms.at("data")->values(), model = m_forms.at("model")->values();
  const bool text = data["kind"] == "text";
  std::vector<std::string> hidden;
  if (text)
    hidden = {"dataset",       "image_size",         "max_samples",
              "train_samples", "validation_samples", "validation_fraction",
              "augment"};
  else
    hidden = idleDataFields(data["dataset"].get<std::string>());
  m_forms.at("data")->hideFields(hidden);
  hidden.clear();
  if (!text) hidden.emplace_back("length");
  const Json& mechanism = model["mechanism"];
  const bool performer = mechanism == "performer", synthesizer = mechanism == "synthesizer",
             conv = mechanism == "aft_conv",
             biased = mechanism == "aft_full" || mechanism == "aft_local",
             gated = biased || conv || mechanism == "aft_simple";
  if (!gated) hidden.emplace_back("query");
  if (gated && !conv) hidden.emplace_back("heads");
  if (!performer) hidden.insert(hidden.end(), {"features", "feature_seed"});
  if (!synthesizer) hidden.emplace_back("synthesis");
  if (!conv) hidden.emplace_back("reparametrize");
  if (mechanism != "aft_local" && !conv) hidden.emplace_back("window");
  if (!biased) hidden.emplace_back("factorized");
  const bool factors =
      synthesizer ? model["synthesis"] == "factorized" : biased && model["factorized"] != false;
  if (!factors) hidden.emplace_back("rank");
  m_forms.at("model")->hideFields(hidden);
}

void SequenceForms::setLocked(bool locked) {
  for (const auto& [key, form] : m_forms) {
    std::vector<std::string> names;
    if (locked)
      for (const Parameter& parameter : *sequenceSection(key).table)
        names.push_back(parameter.name);
    form->setReadOnlyFields(names);
  }
  for (QWidget* button : m_buttons)
    button->setEnabled(!locked);
}

}  // namespace headlight
