#include "ui/window/EffectController.h"

#include "core/config/DatasetKinds.h"
#include "ui/base/Actions.h"
#include "ui/base/Dialogs.h"
#include "ui/document/Document.h"
#include "ui/maps/DatasetDialog.h"
#include "ui/maps/EffectDataDialog.h"
#include "ui/maps/EffectLine.h"
#include "ui/maps/EffectPictures.h"

namespace headlight {
namespace {

/// The data that the model's config names.
PictureSample sampleOf(const Document& document) {
  PictureSample sample;
  if (document.hasModel()) sample.data = document.model().experiment.data;
  return sample;
}

}  // namespace

EffectController::EffectController(Document* document, LookBridge* look, QWidget* window)
    : QObject(window),
      m_document(document),
      m_window(window),
      m_bridge(document, look),
      m_heads(document, look),
      m_line(new EffectLine(document, &m_bridge, window)) {
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
  connect(m_line, &EffectLine::dataRequested, this, &EffectController::chooseData);
  connect(m_line, &EffectLine::picturesRequested, this, &EffectController::showPictures);
  connect(document, &Document::modelChanged, this, &EffectController::onModel);
}

/// Drawn pictures cost nothing to have; folders are measured on only where somebody says so.
void EffectController::onModel() {
  const PictureSample sample = sampleOf(*m_document);
  const bool trained = m_document->hasModel() && !m_document->model().randomWeights;
  if (m_chosen && m_document->hasModel()) return;
  if (trained && sample.data.dataset == kProceduralData)
    setSample(sample);
  else
    setSample(std::nullopt);
}

void EffectController::setSample(const std::optional<PictureSample>& sample) {
  m_bridge.setSample(sample);
  m_heads.setSample(sample);
}

void EffectController::chooseData() {
  if (!m_document->hasModel()) return;
  auto* dialog = new EffectDataDialog(m_bridge.sample(), sampleOf(*m_document), m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    m_chosen = true;
    setSample(dialog->sample());
  });
}

void EffectController::showClasses() {
  if (!m_document->hasModel()) return;
  if (!m_classes) {
    m_classes = new DatasetDialog(m_document, &m_bridge, m_window);
    m_classes->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_classes, &DatasetDialog::dataRequested, this, &EffectController::chooseData);
    connect(m_classes, &DatasetDialog::opened, this,
            [this](const Image& picture, const QString& name) {
              m_document->setImage(picture, name, {});
            });
  }
  m_classes->show();
  m_classes->raise();
  m_classes->activateWindow();
  if (!m_bridge.sample()) chooseData();
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
