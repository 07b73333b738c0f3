// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/HeadValuesBridge.h"

#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kHeadsSettledMs = 150;

}  // namespace

HeadValuesBridge::HeadValuesBridge(Document* document, ModelWorker* inference, QObject* parent)
    : MeasureBridge(document, inference, kHeadsSettledMs, parent) {
  connect(document, &Document::inferenceChanged, this, &HeadValuesBridge::onInference);
}

void HeadValuesBridge::setSample(const std::optional<ImageSample>& sample) {
  m_sample = sample;
  if (m_document->numbers().heads().averaged) restart();
  Q_EMIT changed();
}

void HeadValuesBridge::choose(HeadMetric measure, bool averaged) {
  m_document->numbers().setHeads({measure, averaged && canAverage(), nullptr});
  restart();
}

void HeadValuesBridge::onInference() {
  // What is shown stays until its successor is there, but not of another model.
  if (!m_document->inference())
    m_document->numbers().setHeads(
        {m_document->numbers().heads().measure, m_document->numbers().heads().averaged, nullptr});
  restart();
}

void HeadValuesBridge::restart() {
  forget();
  const HeadNumbers& numbers = m_document->numbers().heads();
  const bool live = !numbers.averaged && (numbers.measure == HeadMetric::Locality ||
                                          numbers.measure == HeadMetric::Alpha);
  // A recorded step has maps and metrics, but no weights.
  const bool lost = m_document->recorded().view() &&
                    (numbers.averaged || !findInfo(numbers.measure).needsMaps) && !live;
  if (lost) {
    m_problem = tr("not recorded: an earlier step has only the metrics of its maps");
    m_document->numbers().setHeads({numbers.measure, numbers.averaged, nullptr});
  }
  if (live || lost || !m_document->inference())
    m_settled.stop();
  else
    m_settled.start();
  Q_EMIT changed();
}

std::function<HeadValuesBridge::Measured(std::stop_token)> HeadValuesBridge::job() {
  const HeadMetric measure = m_document->numbers().heads().measure;
  const ProgressCallback notify = teller();
  const auto session = m_inference->session();
  const MaskScheme masks = m_document->inputs().masks();
  if (m_document->numbers().heads().averaged && m_sample)
    return [session, masks, measure, notify, keeping = keeping(),
            sample = *m_sample](std::stop_token stop) -> Measured {
      const auto open = session();
      if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
      auto all = keptHeads(keeping, {*open, sample, masks}, {measure}, notify, stop);
      return all ? Measured(all->front()) : Measured(all.error());
    };
  if (findInfo(measure).needsMaps)
    return [inference = m_document->inference(), info = m_document->inputs().model(),
            measure](std::stop_token) { return computeHeadValues(*inference, info, measure); };
  return [session, masks, measure, notify,
          image = m_document->inputs().image()](std::stop_token stop) -> Measured {
    const auto open = session();
    if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
    return measureHeadMetrics(*open, image, masks, measure, notify, stop);
  };
}

void HeadValuesBridge::measure() {
  if (!m_document->inference() || !m_document->inputs().hasModel()) return;
  m_task.run<Measured>(job(), [this](const Measured& measured) {
    m_progress = {};
    if (measured) {
      m_document->numbers().setHeads({m_document->numbers().heads().measure,
                                      m_document->numbers().heads().averaged,
                                      std::make_shared<const HeadValues>(*measured)});
    } else {
      takeError(measured.error());
    }
    Q_EMIT changed();
  });
}

}  // namespace headlight
