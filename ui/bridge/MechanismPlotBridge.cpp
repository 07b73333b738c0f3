// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/MechanismPlotBridge.h"

#include <algorithm>

#include "core/workbench/attribution/Explanations.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {
namespace {

/// All but the token.
bool isOfTheSame(const MechanismPlotResult& a, const MechanismPlotResult& b) {
  return a.info.name == b.info.name && a.layer == b.layer && a.weights == b.weights &&
         (!a.info.ofPicture || a.look == b.look);
}

bool isTheSame(const MechanismPlotResult& a, const MechanismPlotResult& b) {
  return isOfTheSame(a, b) && (!a.info.ofToken || a.token == b.token);
}

void answerOwn(MechanismPlotResult& result, InferenceSession& session, const Image& image,
               const MaskScheme& masks, const std::stop_token& stop) {
  MechanismPlotRequest request;
  request.layer = result.layer;
  request.masks = masks;
  if (result.info.ofToken) request.token = result.token;
  if (result.info.ofPicture) {
    request.picture = rawPicture(session.info(), image);
    result.view = evaluationView(image, preprocessingOf(session.info().experiment.model));
  }
  result.picture = std::make_shared<const MechanismPlot>(
      valueOrThrow(ownPicture(session, result.info.name, request, {}, stop)));
}

}  // namespace

MechanismPlotBridge::MechanismPlotBridge(Document* document, ModelWorker* look, QObject* parent)
    : QObject(parent), m_document(document), m_look(look), m_offering(this), m_task(this) {
  setObjectName(QStringLiteral("ownBridge"));
  connect(document, &Document::modelChanged, this, &MechanismPlotBridge::requestAvailable);
  connect(document, &Document::pictureChanged, this, &MechanismPlotBridge::forget);
  // The session is wanted for a newer look: it does not wait for what is outdated anyway.
  connect(document, &Document::staleChanged, this, [this] {
    if (m_document->isStale()) cancel();
  });
  connect(&m_task, &BackgroundTask::busyChanged, this, &MechanismPlotBridge::changed);
  requestAvailable();
}

void MechanismPlotBridge::requestAvailable() {
  forget();
  m_offers.clear();
  Q_EMIT offersChanged();
  if (!m_document->canCompute()) return m_offering.cancel();
  using Offers = std::vector<MechanismPlotInfo>;
  m_offering.run<Offers>(
      [session = m_look->session()](std::stop_token) {
        const auto open = session();
        const auto found = guarded("own pictures", [&] {
          return open && !open->info().isPrecomputed ? ownPictures(*open) : Offers();
        });
        return found ? *found : Offers();
      },
      [this](const Offers& offers) {
        m_offers = offers;
        Q_EMIT offersChanged();
      });
}

void MechanismPlotBridge::cancel() {
  m_task.cancel();
  m_asked.reset();
  m_next.reset();
}

void MechanismPlotBridge::forget() {
  cancel();
  m_result.reset();
  Q_EMIT changed();
}

void MechanismPlotBridge::take(MechanismPlotResult result) {
  m_asked.reset();
  m_result = std::make_shared<const MechanismPlotResult>(std::move(result));
  Q_EMIT changed();
  if (const auto next = std::move(m_next)) request(*next);
}

void MechanismPlotBridge::request(const MechanismPlotChoice& choice) {
  const auto found = std::find_if(m_offers.begin(), m_offers.end(),
                                  [&](const auto& offer) { return offer.name == choice.name; });
  if (found == m_offers.end() || m_document->isStale()) return;
  if (found->ofPicture && !m_document->look()) return;
  MechanismPlotResult asked;
  asked.info = *found;
  asked.look = m_document->look();
  asked.weights = asked.look ? asked.look->weights : 0;
  asked.layer = choice.allLayers ? -1 : m_document->view().layer;
  asked.token = m_document->view().query;
  if (m_asked ? isTheSame(*m_asked, asked) : m_result && isTheSame(*m_result, asked)) return;
  if (m_asked && isOfTheSame(*m_asked, asked)) {
    m_next = std::make_unique<MechanismPlotChoice>(choice);
    return;
  }
  if (m_document->recordedView()) {
    cancel();
    asked.error = tr("Of an earlier step of a run there are its maps, and no weights to ask.");
    return take(std::move(asked));
  }
  run(asked);
}

void MechanismPlotBridge::run(const MechanismPlotResult& asked) {
  m_asked = std::make_unique<MechanismPlotResult>(asked);
  m_next.reset();
  m_task.run<MechanismPlotResult>(
      [result = asked, session = m_look->session(), image = m_document->image(),
       masks = m_document->masks()](std::stop_token stop) mutable {
        const auto open = session();
        const auto done = guarded("own picture", [&] {
          if (!open) throw Failure({ErrorCode::Canceled, "no model is open", ""});
          answerOwn(result, *open, image, masks, stop);
        });
        if (!done) result.error = QString::fromStdString(done.error().text());
        return result;
      },
      [this](MechanismPlotResult result) { take(std::move(result)); });
}

}  // namespace headlight
