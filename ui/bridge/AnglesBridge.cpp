// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/AnglesBridge.h"

#include "core/workbench/attribution/Explanations.h"
#include "ui/bridge/ModelWorker.h"

namespace headlight {
namespace {

bool sameOptions(const AngleOptions& a, const AngleOptions& b, bool withToken) {
  return a.layer == b.layer && a.head == b.head && a.bins == b.bins &&
         (!withToken || a.token == b.token);
}

/// What is known of the same image already is not asked again: `before` may be null.
void answerAngles(AnglesResult& result, const AnglesResult* before, InferenceSession* session,
                  const Image& image, const MaskScheme& masks, const std::stop_token& stop) {
  const bool sameImage = before && before->inference == result.inference && before->pairs;
  if (sameImage) {
    result.pairs = before->pairs;
  } else {
    if (!session) throw Failure({ErrorCode::Canceled, "no model is open", ""});
    result.pairs = std::make_shared<const ImagePairs>(
        valueOrThrow(loadPairs(*session, rawImage(session->info(), image), masks, {}, stop)));
  }
  const bool sameTable =
      sameImage && before->table && sameOptions(before->options, result.options, false);
  auto table = sameTable ? withToken(*before->table, *result.pairs, result.options)
                         : angleTable(*result.pairs, result.options, stop);
  result.table = std::make_shared<const AngleTable>(valueOrThrow(std::move(table)));
}

}  // namespace

AnglesBridge::AnglesBridge(Document* document, ModelWorker* inference, QObject* parent)
    : QObject(parent), m_document(document), m_inference(inference), m_task(this) {
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &AnglesBridge::forget);
  connect(&document->recorded(), &RecordedStep::shownImageChanged, this, &AnglesBridge::forget);
  // The session is wanted for a newer result: it does not wait for what is outdated anyway.
  connect(document, &Document::staleChanged, this, [this] {
    if (m_document->isStale()) cancel();
  });
  connect(&m_task, &BackgroundTask::busyChanged, this, &AnglesBridge::changed);
}

void AnglesBridge::cancel() {
  m_task.cancel();
  m_requestedInference.reset();
}

void AnglesBridge::forget() {
  cancel();
  m_result.reset();
  Q_EMIT changed();
}

AngleOptions AnglesBridge::options() const {
  const ViewOptions& view = m_document->view().options();
  AngleOptions options;
  options.layer = m_everything ? -1 : view.layer;
  options.head = m_everything ? -1 : view.head;
  options.token = view.query;
  return options;
}

void AnglesBridge::notify(const AnglesResult& result) {
  m_requestedInference.reset();
  m_result = std::make_shared<const AnglesResult>(result);
  Q_EMIT changed();
}

void AnglesBridge::request() {
  const auto inference = m_document->inference();
  if (!inference || m_document->isStale() || !m_document->inputs().hasModel() ||
      !m_document->inputs().hasImage())
    return;
  AnglesResult asked;
  asked.inference = inference;
  asked.options = options();
  if (m_requestedInference
          ? m_requestedInference == inference && sameOptions(m_askedOptions, asked.options, true)
          : m_result && m_result->inference == inference &&
                sameOptions(m_result->options, asked.options, true))
    return;
  if (!m_document->inputs().canCompute() || m_document->recorded().view()) {
    m_task.cancel();
    asked.error =
        m_document->recorded().view()
            ? tr("An earlier step of a run has maps but no weights, so this cannot be computed.")
            : m_document->inputs().whyNotComputed();
    return notify(asked);
  }
  m_requestedInference = inference;
  m_askedOptions = asked.options;
  m_task.run<AnglesResult>(
      [asked, before = m_result, session = m_inference->session(),
       image = m_document->inputs().image(),
       masks = m_document->inputs().masks()](std::stop_token stop) mutable {
        const auto done = guarded("angles", [&] {
          const bool known = before && before->inference == asked.inference && before->pairs;
          const auto open = known ? nullptr : session();
          answerAngles(asked, before.get(), open.get(), image, masks, stop);
        });
        if (!done) asked.error = QString::fromStdString(done.error().text());
        return asked;
      },
      [this](const AnglesResult& result) { notify(result); });
}

}  // namespace headlight
