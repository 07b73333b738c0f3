// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/CompareLoader.h"

#include "core/models/Registry.h"
#include "core/workbench/loading/Input.h"
#include "core/workbench/schemes/SchemeLibrary.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"

namespace headlight {
namespace {

/// Asks the disk.
ModelSource sourceOf(const QString& model, const std::string& device) {
  ModelSource source;
  source.device = device;
  const std::string text = model.toStdString();
  if (findPublishedModel(text)) {
    source.model = text;
    return source;
  }
  const Input input = identifyOrGuess(text);
  if (input.isJson())
    source.model = text;
  else
    source.weights = input.path;
  return source;
}

}  // namespace

CompareLoader::CompareLoader(Document* window, ModelWorker* inference, Document* side,
                             QObject* parent)
    : QObject(parent), m_window(window), m_inference(inference), m_document(side) {
  connect(&window->inputs(), &InferenceInputs::modelChanged, this, [this] {
    if (hasOwnModel()) forgetModel();
    refresh();
  });
  connect(&window->inputs(), &InferenceInputs::imageChanged, this, &CompareLoader::refresh);
  connect(&window->inputs(), &InferenceInputs::masksChanged, this, &CompareLoader::refresh);
  connect(window, &Document::inferenceChanged, this, &CompareLoader::refresh);
  connect(&window->reference(), &ReferenceState::changed, this, &CompareLoader::refresh);
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
            takeImage({path, image, {}});
          });
  connect(m_images.get(), &ImageBridge::imageFailed, this,
          [this](const QString& path, const QString& text) {
            takeImage({path, {}, text});
          });
  return *m_images;
}

WorkerThread& CompareLoader::worker() {
  if (!m_worker) m_worker = std::make_unique<WorkerThread>();
  return *m_worker;
}

void CompareLoader::takeImage(const LoadedImage& image) {
  m_loading.clear();
  m_image = image;
  refresh();
}

void CompareLoader::setSide(const CompareSide& side) {
  if (side == m_side) return;
  if (side.model != m_side.model) forgetModel();
  if (side.image != m_side.image) m_image.reset();
  m_side = side;
  refresh();
}

QString CompareLoader::modelName() const {
  if (hasOwnModel())
    return m_window->inputs().hasModel() ? m_window->modelTitle() : tr("this model");
  const bool open = m_opened && m_opened->path == m_side.model && m_opened->session;
  return open ? modelTitle(m_opened->session->info()) : weightsName(m_side.model.toStdString());
}

void CompareLoader::setShown(bool shown) {
  if (shown == m_shown) return;
  m_shown = shown;
  shown ? refresh() : stopInference();
}

void CompareLoader::forgetModel() {
  m_modelIsNew = true;
  m_opened.reset();
  m_opening.clear();
}

void CompareLoader::stopInference() {
  m_stop.request_stop();
  ++m_ticket;
}

/// From model to image to masks to the result; each step that has to wait ends it, and what is
/// waited for begins it anew.
void CompareLoader::refresh() {
  if (!m_shown || !m_window->inputs().hasModel()) return;
  stopInference();
  if (!showModel() || !showImage()) return;
  const auto masks = wantedMasks();
  if (!masks) return;
  const MaskScheme& shown = m_document->inputs().masks();
  if (!(shown == *masks) || shown.name() != masks->name())
    m_document->inputs().replaceMasks(*masks);
  m_document->setSourceNote(hasOwnModel() ? m_window->trainingWeights() : QString());
  m_document->setRunNote(hasOwnModel() ? m_window->otherRunNote() : QString());
  if (takeOver(*masks)) return;
  lookAt(*masks);
}

bool CompareLoader::showModel() {
  if (!hasOwnModel() && (!m_opened || m_opened->path != m_side.model)) {
    open();
    return false;
  }
  if (!hasOwnModel() && !m_opened->session) {
    refuse(tr("%1 was not opened: %2").arg(modelName(), m_opened->error));
    return false;
  }
  if (std::exchange(m_modelIsNew, false))
    m_document->setModel(hasOwnModel() ? m_window->inputs().model() : m_opened->session->info());
  return true;
}

void CompareLoader::open() {
  wait();
  if (m_opening == m_side.model) return;
  m_opening = m_side.model;
  worker().post([this, path = m_side.model,
                 device = m_window->inputs().model().experiment.device](std::stop_token) {
    auto result = InferenceSession::open(sourceOf(path, device));
    const Opened opened{path,
                        result ? std::shared_ptr<InferenceSession>(std::move(*result)) : nullptr,
                        result ? QString() : QString::fromStdString(result.error().text())};
    callInThread(this, [this, opened] {
      if (opened.path != m_opening) return;  // another was chosen
      m_opening.clear();
      m_opened = opened;
      refresh();
    });
  });
}

bool CompareLoader::showImage() {
  const bool windows = m_side.image.isEmpty();
  if (!windows && (!m_image || m_image->path != m_side.image)) {
    wait();
    if (m_loading != m_side.image) images().loadImage(m_loading = m_side.image);
    return false;
  }
  const Image& image = windows ? m_window->inputs().image() : m_image->image;
  if (image.empty()) {
    refuse(
        windows
            ? tr("Open an image to compare.")
            : tr("%1 was not opened: %2").arg(ImageBridge::nameOf(m_side.image), m_image->error));
    return false;
  }
  const QString& path = windows ? m_window->inputs().imagePath() : m_side.image;
  if (image.pixels != m_document->inputs().image().pixels)
    m_document->setImage(
        image, windows ? m_window->inputs().imageName() : ImageBridge::nameOf(path), path);
  return true;
}

std::optional<MaskScheme> CompareLoader::wantedMasks() {
  const Experiment& experiment = m_document->inputs().model().experiment;
  const MaskShape shape = makeMaskShape(experiment.model);
  Result<MaskScheme> masks = m_window->inputs().masks();
  if (m_side.masks == SideMasks::Unmasked) masks = MaskScheme(shape);
  if (m_side.masks == SideMasks::Own) masks = resolveMasks(experiment.masks, shape);
  if (m_side.masks == SideMasks::Named)
    masks = masksNamed(m_side.scheme.toStdString(), shape,
                       SchemeLibrary(SchemeLibrary::defaultFolder()));
  if (m_side.masks == SideMasks::Reference) {
    // Before any edit there are only the masks that the model came with.
    const auto reference = m_window->reference().masks();
    if (!reference && m_window->inputs().masks().maskedHeads() == 0) {
      refuse(m_document->inputs().model().isPrecomputed
                 ? tr("Choose another model or image above.")
                 : tr("Edit a mask, or choose another model, masks or image above."));
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

/// The window's own result and its reference need no other forward pass.
bool CompareLoader::takeOver(const MaskScheme& masks) {
  if (!hasOwnModel() || !m_side.image.isEmpty()) return false;
  std::shared_ptr<const InferenceResult> inference;
  if (masks == m_window->inputs().masks())
    inference = m_window->liveInference();
  else if (m_window->reference().masks() == masks)
    inference = m_window->reference().inference();
  else
    return false;
  if (!inference && m_inference) {
    wait();  // it is on its way
    return true;
  }
  if (m_document->inference() != inference) m_document->setInference(inference, -1);
  settle(false, {});
  return true;
}

std::function<std::shared_ptr<InferenceSession>()> CompareLoader::session() {
  if (!hasOwnModel() && m_opened) return [open = m_opened->session] { return open; };
  if (hasOwnModel() && m_inference) return m_inference->session();
  return [] { return nullptr; };
}

void CompareLoader::lookAt(const MaskScheme& masks) {
  if (!m_inference) return refuse(tr("The model was not run."));
  wait();
  m_stop = std::stop_source();
  worker().post([this, session = session(), masks, image = m_document->inputs().image(),
                 ticket = m_ticket, path = m_document->inputs().imagePath().toStdString(),
                 stop = m_stop.get_token()](std::stop_token) {
    const auto open = stop.stop_requested() ? nullptr : session();
    if (!open) return;
    const auto inference = std::make_shared<const Result<InferenceResult>>(
        open->infer(open->imageAt(path, image), masks, {}, stop));
    callInThread(this, [this, ticket, inference] { inferenceDone(ticket, inference); });
  });
}

void CompareLoader::inferenceDone(int ticket,
                                  const std::shared_ptr<const Result<InferenceResult>>& result) {
  if (ticket != m_ticket) return;
  const Result<InferenceResult>& inference = *result;
  if (!inference && inference.error().code == ErrorCode::Canceled) return;
  if (!inference) return refuse(QString::fromStdString(inference.error().text()));
  // A run goes on: both sides are of the same weights, and a newer result is on its way.
  if (hasOwnModel() && m_window->liveInference() &&
      m_window->liveInference()->weights != inference->weights)
    return;
  m_document->setInference(std::shared_ptr<const InferenceResult>(result, &*inference), -1);
  settle(false, {});
}

void CompareLoader::wait() {
  m_document->setStale(true);
  settle(true, {});
}

void CompareLoader::refuse(const QString& problem) {
  m_document->setStale(false);
  if (m_document->inference()) m_document->setInference(nullptr, -1);
  settle(false, problem);
}

void CompareLoader::settle(bool busy, const QString& problem) {
  const bool isNew = busy != m_busy || problem != m_problem;
  m_busy = busy;
  m_problem = problem;
  if (isNew) Q_EMIT changed();
}

}  // namespace headlight
