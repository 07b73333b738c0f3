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

/// What is known of the same picture already is not asked again: `before` may be null.
void answerAngles(AnglesResult& result, const AnglesResult* before, InferenceSession* session,
                  const Image& image, const MaskScheme& masks, const std::stop_token& stop) {
  const bool samePicture = before && before->look == result.look && before->pairs;
  if (samePicture) {
    result.pairs = before->pairs;
  } else {
    if (!session) throw Failure({ErrorCode::Canceled, "no model is open", ""});
    result.pairs = std::make_shared<const PicturePairs>(
        valueOrThrow(pairsOf(*session, rawPicture(session->info(), image), masks, {}, stop)));
  }
  const bool sameTable =
      samePicture && before->table && sameOptions(before->options, result.options, false);
  auto table = sameTable ? withToken(*before->table, *result.pairs, result.options)
                         : angleTable(*result.pairs, result.options, stop);
  result.table = std::make_shared<const AngleTable>(valueOrThrow(std::move(table)));
}

}  // namespace

AnglesBridge::AnglesBridge(Document* document, ModelWorker* look, QObject* parent)
    : QObject(parent), m_document(document), m_look(look), m_task(this) {
  for (const auto signal : {&Document::modelChanged, &Document::pictureChanged})
    connect(document, signal, this, &AnglesBridge::forget);
  // The session is wanted for a newer look: it does not wait for what is outdated anyway.
  connect(document, &Document::staleChanged, this, [this] {
    if (m_document->isStale()) cancel();
  });
  connect(&m_task, &BackgroundTask::busyChanged, this, &AnglesBridge::changed);
}

void AnglesBridge::cancel() {
  m_task.cancel();
  m_askedLook.reset();
}

void AnglesBridge::forget() {
  cancel();
  m_result.reset();
  Q_EMIT changed();
}

AngleOptions AnglesBridge::options() const {
  const ViewOptions& view = m_document->view();
  AngleOptions options;
  options.layer = m_everything ? -1 : view.layer;
  options.head = m_everything ? -1 : view.head;
  options.token = view.query;
  return options;
}

void AnglesBridge::tell(const AnglesResult& result) {
  m_askedLook.reset();
  m_result = std::make_shared<const AnglesResult>(result);
  Q_EMIT changed();
}

void AnglesBridge::request() {
  const auto look = m_document->look();
  if (!look || m_document->isStale() || !m_document->hasModel() || !m_document->hasImage()) return;
  AnglesResult asked;
  asked.look = look;
  asked.options = options();
  if (m_askedLook ? m_askedLook == look && sameOptions(m_askedOptions, asked.options, true)
                  : m_result && m_result->look == look &&
                        sameOptions(m_result->options, asked.options, true))
    return;
  if (!m_document->canCompute() || m_document->recordedView()) {
    m_task.cancel();
    asked.error = m_document->recordedView()
                      ? tr("Of an earlier step of a run there are its maps, and no weights to ask.")
                      : m_document->whyNotComputed();
    return tell(asked);
  }
  m_askedLook = look;
  m_askedOptions = asked.options;
  m_task.run<AnglesResult>(
      [asked, before = m_result, session = m_look->session(), image = m_document->image(),
       masks = m_document->masks()](std::stop_token stop) mutable {
        const auto done = guarded("angles", [&] {
          const bool known = before && before->look == asked.look && before->pairs;
          const auto open = known ? nullptr : session();
          answerAngles(asked, before.get(), open.get(), image, masks, stop);
        });
        if (!done) asked.error = QString::fromStdString(done.error().text());
        return asked;
      },
      [this](const AnglesResult& result) { tell(result); });
}

}  // namespace headlight
