// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/CompareLoader.h"

#include <QFileInfo>

#include "core/models/Registry.h"
#include "core/workbench/loading/FileContent.h"
#include "core/workbench/session/SchemeLibrary.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"

namespace headlight {
namespace {

ModelSource sourceOf(const QString& model, const std::string& device) {
  ModelSource source;
  source.device = device;
  const std::string text = model.toStdString();
  if (findPublishedModel(text) || looksLikeConfig(text))
    source.model = text;
  else
    source.weights = text;
  return source;
}

QString nameOfModel(const QString& path) {
  return displayName(QFileInfo(path).fileName());
}

}  // namespace

CompareLoader::CompareLoader(Document* window, ModelWorker* look, Document* side, QObject* parent)
    : QObject(parent), m_window(window), m_look(look), m_document(side) {
  connect(window, &Document::modelChanged, this, [this] {
    if (hasOwnModel()) forgetModel();
    refresh();
  });
  for (const auto signal : {&Document::imageChanged, &Document::masksChanged,
                            &Document::lookChanged, &Document::referenceChanged})
    connect(window, signal, this, &CompareLoader::refresh);
}

CompareLoader::~CompareLoader() {
  m_stop.request_stop();
}

// Most sides need neither: their threads begin when they are first wanted.
ImageBridge& CompareLoader::images() {
  if (m_images) return *m_images;
  m_images = std::make_unique<ImageBridge>();
  connect(m_images.get(), &ImageBridge::imageLoaded, this,
          [this](const Image& image, const QString&, const QString& path) {
            takePicture({path, image, {}});
          });
  connect(m_images.get(), &ImageBridge::imageFailed, this,
          [this](const QString& path, const QString& text) {
            takePicture({path, {}, text});
          });
  return *m_images;
}

WorkerThread& CompareLoader::worker() {
  if (!m_worker) m_worker = std::make_unique<WorkerThread>();
  return *m_worker;
}

void CompareLoader::takePicture(const Picture& picture) {
  m_loading.clear();
  m_picture = picture;
  refresh();
}

void CompareLoader::setSide(const CompareSide& side) {
  if (side == m_side) return;
  if (side.model != m_side.model) forgetModel();
  if (side.picture != m_side.picture) m_picture.reset();
  m_side = side;
  refresh();
}

void CompareLoader::setShown(bool shown) {
  if (shown == m_shown) return;
  m_shown = shown;
  shown ? refresh() : stopLooking();
}

void CompareLoader::forgetModel() {
  m_modelIsNew = true;
  m_opened.reset();
  m_opening.clear();
}

void CompareLoader::stopLooking() {
  m_stop.request_stop();
  ++m_ticket;
}

/// From model to picture to masks to the look; each step that has to wait ends it, and what is
/// waited for begins it anew.
void CompareLoader::refresh() {
  if (!m_shown || !m_window->hasModel()) return;
  stopLooking();
  if (!showModel() || !showPicture()) return;
  const auto masks = wantedMasks();
  if (!masks) return;
  const MaskScheme& shown = m_document->masks();
  if (!(shown == *masks) || shown.name() != masks->name()) m_document->replaceMasks(*masks);
  m_document->setSourceNote(hasOwnModel() ? m_window->liveSourceNote() : QString());
  if (takeOver(*masks)) return;
  lookAt(*masks);
}

bool CompareLoader::showModel() {
  if (!hasOwnModel() && (!m_opened || m_opened->path != m_side.model)) {
    open();
    return false;
  }
  if (!hasOwnModel() && !m_opened->session) {
    refuse(tr("%1 was not opened: %2").arg(nameOfModel(m_side.model), m_opened->error));
    return false;
  }
  if (std::exchange(m_modelIsNew, false))
    m_document->setModel(hasOwnModel() ? m_window->model() : m_opened->session->info());
  return true;
}

void CompareLoader::open() {
  wait();
  if (m_opening == m_side.model) return;
  m_opening = m_side.model;
  const ModelSource source = sourceOf(m_side.model, m_window->model().experiment.device);
  worker().post([this, path = m_side.model, source](std::stop_token) {
    auto result = InferenceSession::open(source);
    const Opened opened{path,
                        result ? std::shared_ptr<InferenceSession>(std::move(*result)) : nullptr,
                        result ? QString() : QString::fromStdString(result.error().text())};
    inThreadOf(this, [this, opened] {
      if (opened.path != m_opening) return;  // another was chosen
      m_opening.clear();
      m_opened = opened;
      refresh();
    });
  });
}

bool CompareLoader::showPicture() {
  const bool windows = m_side.picture.isEmpty();
  if (!windows && (!m_picture || m_picture->path != m_side.picture)) {
    wait();
    if (m_loading != m_side.picture) images().loadImage(m_loading = m_side.picture);
    return false;
  }
  const Image& image = windows ? m_window->image() : m_picture->image;
  if (image.empty()) {
    refuse(windows ? tr("Open a picture to compare.")
                   : tr("%1 was not opened: %2")
                         .arg(ImageBridge::nameOf(m_side.picture), m_picture->error));
    return false;
  }
  const QString& path = windows ? m_window->imagePath() : m_side.picture;
  if (image.pixels != m_document->image().pixels)
    m_document->setImage(image, windows ? m_window->imageName() : ImageBridge::nameOf(path), path);
  return true;
}

std::optional<MaskScheme> CompareLoader::wantedMasks() {
  const Experiment& experiment = m_document->model().experiment;
  const MaskShape shape = maskShapeOf(experiment.model);
  Result<MaskScheme> masks = m_window->masks();
  if (m_side.masks == SideMasks::Unmasked) masks = MaskScheme(shape);
  if (m_side.masks == SideMasks::Own) masks = resolveMasks(experiment.masks, shape);
  if (m_side.masks == SideMasks::Named)
    masks = masksNamed(m_side.scheme.toStdString(), shape,
                       SchemeLibrary(SchemeLibrary::defaultFolder()));
  if (m_side.masks == SideMasks::Reference) {
    // Before any edit there are only the masks that the model came with.
    const auto reference = m_window->referenceMasks();
    if (!reference && m_window->masks().maskedHeads() == 0) {
      refuse(m_document->model().isPrecomputed
                 ? tr("Choose another model or picture above.")
                 : tr("Edit a mask, or choose another model, masks or picture above."));
      return std::nullopt;
    }
    masks = reference ? *reference : MaskScheme(shape);
  }
  if (masks && !(masks->shape() == shape))
    masks = Error{ErrorCode::InvalidArgument,
                  "the window's masks do not fit this model; choose its own, or none", ""};
  if (masks) return *masks;
  refuse(QString::fromStdString(masks.error().text()));
  return std::nullopt;
}

/// What the window shows, or compares with, needs no other look.
bool CompareLoader::takeOver(const MaskScheme& masks) {
  if (!hasOwnModel() || !m_side.picture.isEmpty()) return false;
  std::shared_ptr<const InferenceResult> look;
  if (masks == m_window->masks())
    look = m_window->liveLook();
  else if (m_window->referenceMasks() == masks)
    look = m_window->referenceLook();
  else
    return false;
  if (!look && m_look) {
    wait();  // it is on its way
    return true;
  }
  if (m_document->look() != look) m_document->setLook(look, -1);
  settle(false, {});
  return true;
}

std::function<std::shared_ptr<InferenceSession>()> CompareLoader::session() {
  if (!hasOwnModel() && m_opened) return [open = m_opened->session] { return open; };
  if (hasOwnModel() && m_look) return m_look->session();
  return [] { return nullptr; };
}

void CompareLoader::lookAt(const MaskScheme& masks) {
  if (!m_look) return refuse(tr("Nothing was looked at."));
  wait();
  m_stop = std::stop_source();
  worker().post([this, session = session(), masks, image = m_document->image(), ticket = m_ticket,
                 path = m_document->imagePath().toStdString(),
                 stop = m_stop.get_token()](std::stop_token) {
    const auto open = stop.stop_requested() ? nullptr : session();
    if (!open) return;
    const auto look = std::make_shared<const Result<InferenceResult>>(
        open->look(open->pictureAt(path, image), masks, {}, stop));
    inThreadOf(this, [this, ticket, look] { lookDone(ticket, look); });
  });
}

void CompareLoader::lookDone(int ticket,
                             const std::shared_ptr<const Result<InferenceResult>>& result) {
  if (ticket != m_ticket) return;
  const Result<InferenceResult>& look = *result;
  if (!look && look.error().code == ErrorCode::Canceled) return;
  if (!look) return refuse(QString::fromStdString(look.error().text()));
  // A run goes on: both sides are of the same weights, and a newer look is on its way.
  if (hasOwnModel() && m_window->liveLook() && m_window->liveLook()->weights != look->weights)
    return;
  m_document->setLook(std::shared_ptr<const InferenceResult>(result, &*look), -1);
  settle(false, {});
}

void CompareLoader::wait() {
  m_document->setStale(true);
  settle(true, {});
}

void CompareLoader::refuse(const QString& problem) {
  m_document->setStale(false);
  if (m_document->look()) m_document->setLook(nullptr, -1);
  settle(false, problem);
}

void CompareLoader::settle(bool busy, const QString& problem) {
  const bool isNew = busy != m_busy || problem != m_problem;
  m_busy = busy;
  m_problem = problem;
  if (isNew) Q_EMIT changed();
}

}  // namespace headlight
