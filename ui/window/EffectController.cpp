// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/EffectController.h"

#include "core/config/DatasetKinds.h"
#include "ui/base/Actions.h"
#include "ui/document/Document.h"
#include "ui/evaluation/CastleDialog.h"
#include "ui/evaluation/ClassReportDialog.h"
#include "ui/evaluation/EffectLine.h"
#include "ui/evaluation/EffectPictures.h"
#include "ui/evaluation/EvaluationDataDialog.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

EffectController::EffectController(Document* document, ModelWorker* look, QWidget* window)
    : QObject(window),
      m_document(document),
      m_look(look),
      m_window(window),
      m_bridge(document, look),
      m_heads(document, look),
      m_layers(document, look),
      m_line(new EffectLine(document, &m_bridge, window)) {
  makeMaskCommands();
  m_castle =
      makeCommand(this,
                  {"model.castle",
                   tr("C&astle…"),
                   tr("What inference loses without the auxiliary branch (Castling-ViT), and "
                      "whether that is free"),
                   "Ctrl+Alt+A",
                   {}},
                  [this] { showCastle(); });
  m_castle->setStatusTip(m_castle->toolTip());
  m_modelCommands << m_castle;
  connect(m_line, &EffectLine::dataRequested, this, &EffectController::chooseData);
  connect(m_line, &EffectLine::byNumberRequested, this, [this] { matchBy({"index", ""}); });
  connect(m_line, &EffectLine::classMapRequested, this, &EffectController::chooseClassMap);
  connect(m_line, &EffectLine::picturesRequested, this, &EffectController::showPictures);
  connect(document, &Document::modelChanged, this, &EffectController::onModel);
  connect(document, &Document::modelChanged, this, &EffectController::refreshCastle);
  keepIn({});
  refreshCastle();
}

void EffectController::makeMaskCommands() {
  m_commands << makeCommand(this,
                            {"masks.effect.data",
                             tr("Measure masks on a data set…"),
                             tr("Choose the pictures on which every edit is measured"),
                             "Ctrl+K, D",
                             {}},
                            [this] { chooseData(); });
  m_commands << makeCommand(this,
                            {"masks.effect.pictures",
                             tr("Pictures that the masks change…"),
                             tr("Pictures of the data set whose prediction changed, and the worst"),
                             "Ctrl+K, I",
                             {}},
                            [this] { showPictures(); });
  m_commands << makeCommand(this,
                            {"masks.effect.classes",
                             tr("The data set, class by class…"),
                             tr("Accuracy of every class, what is taken for what, and the worst "
                                "pictures, under the masks as they are"),
                             "Ctrl+K, B",
                             {}},
                            [this] { showClasses(); });
}

void EffectController::keepIn(const std::filesystem::path& folder) {
  m_shelf = std::make_shared<const ResultCache>(folder);
  m_bridge.setShelf(m_shelf);
  m_heads.setShelf(m_shelf);
  m_layers.setShelf(m_shelf);
}

/// Says why it is off where that is the model's fault.
void EffectController::refreshCastle() {
  const QString why = whyNotCastled(*m_document);
  m_castle->setEnabled(why.isEmpty());
  m_castle->setToolTip(why.isEmpty() || !m_document->hasModel() ? m_castle->statusTip() : why);
}

/// Drawn pictures cost nothing to have; folders are measured on only where somebody says so.
void EffectController::onModel() {
  const PictureSample sample = sampleOf(*m_document);
  const bool trained = m_document->canCompute() && !m_document->model().randomWeights;
  if (m_chosen && m_document->canCompute()) {
    // How classes were matched was said of the model before.
    if (m_bridge.sample() && m_bridge.sample()->matching.isChosen()) matchBy({});
    return;
  }
  if (trained && sample.data.dataset == kProceduralData)
    setSample(sample);
  else
    setSample(std::nullopt);
}

void EffectController::setSample(const std::optional<PictureSample>& sample) {
  m_bridge.setSample(sample);
  m_heads.setSample(sample);
  m_layers.setSample(sample);
}

void EffectController::chooseData() {
  if (!m_document->canCompute()) return;
  auto* dialog = new EvaluationDataDialog(m_bridge.sample(), sampleOf(*m_document), m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    m_chosen = true;
    setSample(dialog->sample());
  });
}

/// The same pictures, their classes matched otherwise.
void EffectController::matchBy(const ClassMatching& matching) {
  if (!m_bridge.sample()) return;
  PictureSample sample = *m_bridge.sample();
  sample.matching = matching;
  m_chosen = true;
  setSample(sample);
}

void EffectController::chooseClassMap() {
  FileQuestion question;
  question.title = tr("Class map");
  question.filter = tr("Class maps (*.json *.csv *.tsv *.txt);;All files (*)");
  askForPath(m_window, question, [this](const QString& path) {
    matchBy({"auto", path.toStdString()});
  });
}

void EffectController::showClasses() {
  if (!m_document->canCompute()) return;
  if (!m_classes) {
    m_classes = new ClassReportDialog(m_document, &m_bridge, m_window);
    m_classes->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_classes, &ClassReportDialog::dataRequested, this, &EffectController::chooseData);
    connect(m_classes, &ClassReportDialog::anewRequested, &m_bridge,
            &MaskEffectBridge::measureAnew);
    connect(m_classes, &ClassReportDialog::opened, this,
            [this](const Image& picture, const QString& name) {
              m_document->setImage(picture, name, {});
            });
  }
  m_classes->show();
  m_classes->raise();
  m_classes->activateWindow();
  if (!m_bridge.sample()) chooseData();
}

/// Closed it is hidden: what was measured and said is there again.
void EffectController::showCastle() {
  if (!m_castleDialog) {
    m_castleDialog = new CastleDialog(m_document, m_look, m_shelf,
                                      m_bridge.sample().value_or(sampleOf(*m_document)), m_window);
    connect(m_castleDialog, &CastleDialog::openRequested, this, &EffectController::openRequested);
  }
  m_castleDialog->show();
  m_castleDialog->raise();
  m_castleDialog->activateWindow();
}

void EffectController::showPictures() {
  const auto present = m_bridge.present();
  if (!present || !m_bridge.sample()) return;
  auto effect = m_bridge.sinceReference();
  QString from = m_document->describeReference();
  if (!effect && m_bridge.unmasked()) {
    if (auto against = maskEffect(*m_bridge.unmasked(), *present)) effect = std::move(*against);
    from = tr("unmasked");
  }
  if (!effect) return;
  auto* dialog =
      new EffectPictures(m_document->model(), *m_bridge.sample(), *effect, present->classNames,
                         tr("%1 → now, on %2 pictures").arg(from).arg(effect->pictures), m_window);
  connect(dialog, &EffectPictures::opened, this, [this](const Image& picture, const QString& name) {
    m_document->setImage(picture, name, {});
  });
  dialogs().show(dialog, {});
}

}  // namespace headlight
