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
         (!a.info.ofImage || a.inference == b.inference);
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
  if (result.info.ofImage) {
    request.image = rawImage(session.info(), image);
    result.view = evaluationView(image, makePreprocessing(session.info().experiment.model));
  }
  result.image = std::make_shared<const MechanismPlot>(
      valueOrThrow(mechanismPlot(session, result.info.name, request, {}, stop)));
}

}  // namespace

MechanismPlotBridge::MechanismPlotBridge(Document* document, ModelWorker* inference,
                                         QObject* parent)
    : QObject(parent),
      m_document(document),
      m_inference(inference),
      m_offering(this),
      m_task(this) {
  setObjectName(QStringLiteral("ownBridge"));
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          &MechanismPlotBridge::requestAvailable);
  connect(&document->recorded(), &RecordedStep::shownImageChanged, this,
          &MechanismPlotBridge::forget);
  // The session is wanted for a newer result: it does not wait for what is outdated anyway.
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
  if (!m_document->inputs().canCompute()) return m_offering.cancel();
  using Offers = std::vector<MechanismPlotInfo>;
  m_offering.run<Offers>(
      [session = m_inference->session()](std::stop_token) {
        const auto open = session();
        const auto found = guarded("mechanism plots", [&] {
          return open && !open->info().isPrecomputed ? mechanismPlots(*open) : Offers();
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
  if (found->ofImage && !m_document->inference()) return;
  MechanismPlotResult asked;
  asked.info = *found;
  asked.inference = m_document->inference();
  asked.weights = asked.inference ? asked.inference->weights : 0;
  asked.layer = choice.allLayers ? -1 : m_document->view().options().layer;
  asked.token = m_document->view().options().query;
  if (m_asked ? isTheSame(*m_asked, asked) : m_result && isTheSame(*m_result, asked)) return;
  if (m_asked && isOfTheSame(*m_asked, asked)) {
    m_next = std::make_unique<MechanismPlotChoice>(choice);
    return;
  }
  if (m_document->recorded().view()) {
    cancel();
    asked.error =
        tr("An earlier step of a run has maps but no weights, so this cannot be computed.");
    return take(std::move(asked));
  }
  run(asked);
}

void MechanismPlotBridge::run(const MechanismPlotResult& asked) {
  m_asked = std::make_unique<MechanismPlotResult>(asked);
  m_next.reset();
  m_task.run<MechanismPlotResult>(
      [result = asked, session = m_inference->session(), image = m_document->inputs().image(),
       masks = m_document->inputs().masks()](std::stop_token stop) mutable {
        const auto open = session();
        const auto done = guarded("mechanism plot", [&] {
          if (!open) throw Failure({ErrorCode::Canceled, "no model is open", ""});
          answerOwn(result, *open, image, masks, stop);
        });
        if (!done) result.error = QString::fromStdString(done.error().text());
        return result;
      },
      [this](MechanismPlotResult result) { take(std::move(result)); });
}

}  // namespace headlight
