// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/HeadValuesBridge.h"

#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/RecordedView.h"

namespace headlight {
namespace {

constexpr int kHeadsSettledMs = 150;

}  // namespace

HeadValuesBridge::HeadValuesBridge(Document* document, ModelWorker* look, QObject* parent)
    : MeasureBridge(document, look, kHeadsSettledMs, parent) {
  connect(document, &Document::lookChanged, this, &HeadValuesBridge::onLook);
}

void HeadValuesBridge::setSample(const std::optional<PictureSample>& sample) {
  m_sample = sample;
  if (m_document->numbers().averaged) restart();
  Q_EMIT changed();
}

void HeadValuesBridge::choose(HeadMetric measure, bool averaged) {
  m_document->setNumbers({measure, averaged && canAverage(), nullptr});
  restart();
}

void HeadValuesBridge::onLook() {
  // What is shown stays until its successor is there, but not of another model.
  if (!m_document->look())
    m_document->setNumbers(
        {m_document->numbers().measure, m_document->numbers().averaged, nullptr});
  restart();
}

void HeadValuesBridge::restart() {
  forget();
  const HeadNumbers& numbers = m_document->numbers();
  const bool live = !numbers.averaged && (numbers.measure == HeadMetric::Locality ||
                                          numbers.measure == HeadMetric::Alpha);
  // Of a recorded step there are its maps and numbers, not the weights.
  const bool lost = m_document->recordedView() &&
                    (numbers.averaged || !infoOf(numbers.measure).needsMaps) && !live;
  if (lost) {
    m_problem = tr("not recorded: at an earlier step there are the maps' own numbers only");
    m_document->setNumbers({numbers.measure, numbers.averaged, nullptr});
  }
  if (live || lost || !m_document->look())
    m_settled.stop();
  else
    m_settled.start();
  Q_EMIT changed();
}

std::function<HeadValuesBridge::Measured(std::stop_token)> HeadValuesBridge::job() {
  const HeadMetric measure = m_document->numbers().measure;
  const ProgressCallback tell = teller();
  const auto session = m_look->session();
  const MaskScheme masks = m_document->masks();
  if (m_document->numbers().averaged && m_sample)
    return [session, masks, measure, tell, keeping = keeping(),
            sample = *m_sample](std::stop_token stop) -> Measured {
      const auto open = session();
      if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
      auto all = keptHeads(keeping, {*open, sample, masks}, {measure}, tell, stop);
      return all ? Measured(all->front()) : Measured(all.error());
    };
  if (infoOf(measure).needsMaps)
    return [look = m_document->look(), info = m_document->model(), measure](std::stop_token) {
      return headValuesOf(*look, info, measure);
    };
  return [session, masks, measure, tell,
          image = m_document->image()](std::stop_token stop) -> Measured {
    const auto open = session();
    if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
    return measureHeadMetrics(*open, image, masks, measure, tell, stop);
  };
}

void HeadValuesBridge::measure() {
  if (!m_document->look() || !m_document->hasModel()) return;
  m_task.run<Measured>(job(), [this](const Measured& measured) {
    m_progress = {};
    if (measured) {
      m_document->setNumbers({m_document->numbers().measure, m_document->numbers().averaged,
                              std::make_shared<const HeadValues>(*measured)});
    } else {
      takeError(measured.error());
    }
    Q_EMIT changed();
  });
}

}  // namespace headlight
