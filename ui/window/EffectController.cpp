// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/EffectController.h"

#include "core/config/DatasetKinds.h"
#include "ui/base/Actions.h"
#include "ui/document/Document.h"
#include "ui/evaluation/ClassReportDialog.h"
#include "ui/evaluation/DropBranchDialog.h"
#include "ui/evaluation/EffectImages.h"
#include "ui/evaluation/EffectLine.h"
#include "ui/evaluation/EvaluationDataDialog.h"
#include "ui/evaluation/ReconstructionDialog.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {

EffectController::EffectController(Document* document, ModelWorker* inference, QWidget* window)
    : QObject(window),
      m_document(document),
      m_inference(inference),
      m_window(window),
      m_bridge(document, inference),
      m_heads(document, inference),
      m_layers(document, inference),
      m_line(new EffectLine(document, &m_bridge, window)) {
  makeMaskCommands();
  m_dropBranch = makeCommand(this,
                             {"model.castle",
                              tr("Drop au&xiliary branch…"),
                              tr("Measure what inference loses without the auxiliary branch "
                                 "(Castling-ViT), and whether dropping it is free"),
                              "Ctrl+Alt+A",
                              {}},
                             [this] { showDropBranch(); });
  m_dropBranch->setStatusTip(m_dropBranch->toolTip());
  m_modelCommands << m_dropBranch;
  makeReconstruct();
  connect(m_line, &EffectLine::dataRequested, this, &EffectController::chooseData);
  connect(m_line, &EffectLine::byNumberRequested, this, [this] { matchBy({"index", ""}); });
  connect(m_line, &EffectLine::classMapRequested, this, &EffectController::chooseClassMap);
  connect(m_line, &EffectLine::imagesRequested, this, &EffectController::showImages);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &EffectController::onModel);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          &EffectController::refreshDropBranch);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          &EffectController::refreshReconstruct);
  keepIn({});
  refreshDropBranch();
  refreshReconstruct();
}

void EffectController::makeMaskCommands() {
  m_commands << makeCommand(this,
                            {"masks.effect.data",
                             tr("Choose evaluation data…"),
                             tr("Every mask edit is measured on these images"),
                             "Ctrl+K, D",
                             {}},
                            [this] { chooseData(); });
  m_commands << makeCommand(
      this,
      {"masks.effect.images",
       tr("Images that the masks change…"),
       tr("Show images of the evaluation data whose prediction changed, and the worst ones"),
       "Ctrl+K, I",
       {}},
      [this] { showImages(); });
  m_commands << makeCommand(this,
                            {"masks.effect.classes",
                             tr("Class report…"),
                             tr("Show the accuracy of every class, the confusion matrix and the "
                                "worst images under the present masks"),
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
void EffectController::refreshDropBranch() {
  const QString why = whyBranchStays(*m_document);
  m_dropBranch->setEnabled(why.isEmpty());
  m_dropBranch->setToolTip(
      why.isEmpty() || !m_document->inputs().hasModel() ? m_dropBranch->statusTip() : why);
}

void EffectController::makeReconstruct() {
  m_reconstruct =
      makeCommand(this,
                  {"model.reconstruct",
                   tr("Recons&truct…"),
                   tr("Show what a masked autoencoder makes of the image from a part of "
                      "its patches"),
                   "Ctrl+W, E",
                   {}},
                  [this] { showReconstruction(); });
  m_reconstruct->setStatusTip(m_reconstruct->toolTip());
  m_modelCommands << m_reconstruct;
}

/// Says why it is off where that is the model's fault.
void EffectController::refreshReconstruct() {
  const QString why = whyNotReconstructed(*m_document);
  m_reconstruct->setEnabled(why.isEmpty());
  m_reconstruct->setToolTip(
      why.isEmpty() || !m_document->inputs().hasModel() ? m_reconstruct->statusTip() : why);
}

void EffectController::showReconstruction() {
  if (!m_reconstructionDialog)
    m_reconstructionDialog = new ReconstructionDialog(m_document, m_inference, m_window);
  m_reconstructionDialog->show();
  m_reconstructionDialog->raise();
  m_reconstructionDialog->activateWindow();
}

/// Drawn images cost nothing to have; folders are measured on only where somebody says so.
void EffectController::onModel() {
  const ImageSample sample = makeImageSample(*m_document);
  const bool trained =
      m_document->inputs().canCompute() && !m_document->inputs().model().randomWeights;
  if (m_chosen && m_document->inputs().canCompute()) {
    // The class matching belonged to the previous model.
    if (m_bridge.sample() && m_bridge.sample()->matching.isChosen()) matchBy({});
    return;
  }
  if (trained && isDrawnData(sample.data.dataset))
    setSample(sample);
  else
    setSample(std::nullopt);
}

void EffectController::setSample(const std::optional<ImageSample>& sample) {
  m_bridge.setSample(sample);
  m_heads.setSample(sample);
  m_layers.setSample(sample);
}

void EffectController::chooseData() {
  if (!m_document->inputs().canCompute()) return;
  auto* dialog =
      new EvaluationDataDialog(m_bridge.sample(), makeImageSample(*m_document), m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    m_chosen = true;
    setSample(dialog->sample());
  });
}

/// The same images, their classes matched otherwise.
void EffectController::matchBy(const ClassMatching& matching) {
  if (!m_bridge.sample()) return;
  ImageSample sample = *m_bridge.sample();
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
  if (!m_document->inputs().canCompute()) return;
  if (!m_classes) {
    m_classes = new ClassReportDialog(m_document, &m_bridge, m_window);
    m_classes->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_classes, &ClassReportDialog::dataRequested, this, &EffectController::chooseData);
    connect(m_classes, &ClassReportDialog::anewRequested, &m_bridge,
            &MaskEffectBridge::measureAnew);
    connect(
        m_classes, &ClassReportDialog::opened, this,
        [this](const Image& image, const QString& name) { m_document->setImage(image, name, {}); });
  }
  m_classes->show();
  m_classes->raise();
  m_classes->activateWindow();
  if (!m_bridge.sample()) chooseData();
}

/// Closed it is hidden: what was measured and said is there again.
void EffectController::showDropBranch() {
  if (!m_dropBranchDialog) {
    m_dropBranchDialog =
        new DropBranchDialog(m_document, m_inference, m_shelf,
                             m_bridge.sample().value_or(makeImageSample(*m_document)), m_window);
    connect(m_dropBranchDialog, &DropBranchDialog::openRequested, this,
            &EffectController::openRequested);
  }
  m_dropBranchDialog->show();
  m_dropBranchDialog->raise();
  m_dropBranchDialog->activateWindow();
}

void EffectController::showImages() {
  const auto present = m_bridge.present();
  if (!present || present->scores || !m_bridge.sample()) return;
  auto effect = m_bridge.sinceReference();
  QString from = m_document->reference().describe();
  if (!effect && m_bridge.unmasked()) {
    if (auto against = maskEffect(*m_bridge.unmasked(), *present)) effect = std::move(*against);
    from = tr("unmasked");
  }
  if (!effect) return;
  auto* dialog = new EffectImages(
      m_document->inputs().model(), *m_bridge.sample(), *effect, present->classNames,
      tr("%1 → now, on %2 images").arg(from).arg(effect->images), m_window);
  connect(dialog, &EffectImages::opened, this, [this](const Image& image, const QString& name) {
    m_document->setImage(image, name, {});
  });
  dialogs().show(dialog, {});
}

}  // namespace headlight
