// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/EvolutionBridge.h"

#include <utility>

#include "ui/bridge/RecordedImages.h"
#include "ui/document/Document.h"

namespace headlight {

struct EvolutionBridge::Found {
  std::shared_ptr<const RecordedView> view;
  QStringList images;
};

EvolutionBridge::EvolutionBridge(Document* document, QObject* parent)
    : QObject(parent), m_document(document), m_reading(std::make_shared<RecordedImages>()) {
  m_oneScale = hasOneScale();
  connect(&document->view(), &ViewState::changed, this, [this] {
    if (std::exchange(m_oneScale, hasOneScale()) != m_oneScale) Q_EMIT changed();
  });
}

EvolutionBridge::~EvolutionBridge() = default;

void EvolutionBridge::setRun(const QString& folder) {
  show(std::nullopt);
  m_folder = folder;
  m_images.clear();
  m_image = 0;
  m_problem.clear();
  m_worker.post([reading = m_reading](std::stop_token) { *reading = {}; });
  Q_EMIT changed();
}

void EvolutionBridge::show(std::optional<std::int64_t> step) {
  m_step = step;
  m_again = m_busy && step;
  if (step) return start();
  ++m_shown;
  m_document->recorded().setView(nullptr);
}

void EvolutionBridge::chooseImage(int image) {
  if (image == m_image || image < 0 || image >= m_images.size()) return;
  m_image = image;
  show(m_step);
  Q_EMIT changed();
}

bool EvolutionBridge::hasOneScale() const {
  return m_document->view().options().stepScale;
}

void EvolutionBridge::setOneScale(bool one) {
  m_document->view().change([one](ViewOptions& view) { view.stepScale = one; });
}

void EvolutionBridge::start() {
  if (m_busy || !m_step || m_folder.isEmpty() || !m_document->inputs().hasModel()) return;
  m_busy = true;
  m_again = false;
  m_worker.post([this, reading = m_reading, folder = m_folder.toStdString(), step = *m_step,
                 image = m_image, shown = m_document->inputs().model(),
                 at = m_shown](std::stop_token) {
    auto found = std::make_shared<const Result<Found>>(guarded(folder, [&] {
      valueOrThrow(reading->open(folder, shown));
      return Found{valueOrThrow(reading->at(step, image)), reading->names()};
    }));
    callInThread(this, [this, at, found] { done(at, found); });
  });
  Q_EMIT changed();
}

void EvolutionBridge::done(int shown, const std::shared_ptr<const Result<Found>>& found) {
  m_busy = false;
  // While the slider moves, steps on its way are worth showing; not of another run or model.
  const bool wanted = m_step && shown == m_shown;
  if (wanted && *found) {
    m_images = (*found)->images;
    m_problem.clear();
    m_document->recorded().setView((*found)->view);
  } else if (wanted) {
    m_problem = QString::fromStdString(found->error().message);
    m_document->recorded().setView(nullptr);
  }
  if (m_again) start();
  Q_EMIT changed();
}

}  // namespace headlight
