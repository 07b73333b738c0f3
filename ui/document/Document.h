// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the window is looking at: one model, one image, one mask scheme and how they are shown.
// Every widget reads it and is told of changes; none talks to another. It lives in the window's
// thread and never waits for core: ModelWorker does the work and hands results in.

#include <QObject>
#include <QString>
#include <QUndoStack>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/masks/MaskEdit.h"
#include "core/workbench/session/InferenceSession.h"
#include "core/workbench/session/MapView.h"
#include "core/workbench/session/Pictures.h"
#include "ui/document/DisplayedHeadNumbers.h"

namespace headlight {

struct HeadPoint;
struct RecordedView;

/// What else than attention is asked of a picture (core/workbench/attribution/Explanations.h).
struct ExplanationChoice {
  std::string name = "relevance";
  int classIndex = -1;      ///< −1: the predicted one
  int layer = -1;           ///< −1: the last
  bool foreground = false;  ///< of feature colours
  bool operator==(const ExplanationChoice&) const = default;
};

/// How maps are shown.
struct ViewOptions {
  int layer = 0;
  int head = -1;  ///< −1: the mean over heads
  int query = 0;  ///< token index; prefix tokens first
  MapStyle style = MapStyle::Headlight;
  double dim = 0.85;     ///< how much light and colour the dark of the headlight keeps back
  double opacity = 0.6;  ///< of an overlay
  ColorMap colorMap = ColorMap::Viridis;
  bool smooth = true;
  bool sharedRange = false;  ///< one colour range for all heads shown, else one per head
  bool showOverlay = true;
  RolloutOptions rollout;
  /// Name of the learned map shown in place of attention, where the model has it; empty: attention.
  std::string learned;
  ExplanationChoice way;
  bool operator==(const ViewOptions&) const;
};

/// What a picture is compared with.
enum class Reference { LastEdit, Unmasked, Pinned };

/// What "stronger" means in the style that is shown: `dim` of the headlight, else `opacity`.
double& strengthOf(ViewOptions& view);

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(QObject* parent = nullptr);

  // The model. Nothing before the first one is open.
  bool hasModel() const { return m_model.has_value(); }
  const ModelInfo& model() const { return *m_model; }
  /// Whether one is open that could predict, be masked and trained: no maps of a file alone.
  bool canCompute() const { return hasModel() && !m_model->isPrecomputed; }
  /// Why not, for tooltips; empty where it can.
  QString whyNotComputed() const;
  void setModel(const ModelInfo& info);  ///< also resets masks to the model's own and the view
  /// Other weights in the same model: masks, undo stack and view stay. Emits modelChanged.
  void updateModel(const ModelInfo& info);

  // The image: the original, its name for people, and its path (empty for built-in ones).
  bool hasImage() const { return !m_image.empty(); }
  const Image& image() const { return m_image; }
  const QString& imageName() const { return m_imageName; }
  const QString& imagePath() const { return m_imagePath; }
  /// The one that is shown: that of a recorded step, else the document's.
  const Image& shownImage() const;
  const QString& shownImageName() const;
  void setImage(const Image& image, const QString& name, const QString& path);

  // Masks. Everything that edits them comes in by pushEdit, so that it can be undone, and goes out
  // by editApplied, so that a run that listens gets the same edits.
  const MaskScheme& masks() const { return m_masks; }
  void pushEdit(const MaskEdit& edit);  ///< onto the undo stack; an empty edit is ignored
  /// The same; edits pushed one after the other with one stroke (MaskCommand::newStroke) become one
  /// step.
  void pushEdit(const MaskEdit& edit, int stroke);
  void applyEdit(const MaskEdit& edit);         ///< by the undo stack only
  void replaceMasks(const MaskScheme& scheme);  ///< session restore: clears the undo stack
  /// The masks that are shown: those in force at a recorded step, else the document's.
  const MaskScheme& shownMasks() const;
  /// Why a search decided on the heads of `found` as it did, by head; of this model, until another
  /// one is set.
  void setMaskReasons(std::map<HeadPlace, QString> reasons, const MaskScheme& found);
  /// Empty where there is none, or the head's mask is not the one that was found.
  QString maskReason(const HeadPlace& head) const;
  QUndoStack* undoStack() { return &m_undoStack; }

  /// What is shown: a recorded step, else the newest picture; may be null.
  std::shared_ptr<const InferenceResult> look() const;
  std::shared_ptr<const InferenceResult> liveLook() const { return m_look; }
  void setLook(std::shared_ptr<const InferenceResult> look, double editToPictureMs);

  // What the newest picture is compared with: the masks before the last edit (of a stroke: as they
  // were when it began), none, or those that were pinned.
  Reference reference() const { return m_reference; }
  void setReference(Reference reference);
  bool hasPinnedReference() const { return m_pinnedMasks.has_value(); }
  /// The masks as they are become the reference.
  void pinReference();
  /// Nothing where there was no edit, or nothing was pinned.
  std::optional<MaskScheme> referenceMasks() const;
  /// The same picture through the same weights under those masks; null while there is none.
  std::shared_ptr<const InferenceResult> referenceLook() const;
  /// Whether there is a reference of which no such picture is known yet.
  bool needsReferenceLook() const;
  void setReferenceLook(std::shared_ptr<const InferenceResult> look);  ///< by ModelWorker only
  /// "before the last edit", "unmasked", "pinned".
  QString describeReference() const;
  double editToPictureMs() const { return m_editToPictureMs; }  ///< negative: none measured yet
  bool isStale() const { return m_stale; }                      ///< a newer look is on its way
  void setStale(bool stale);                                    ///< by ModelWorker only

  /// What a training run recorded at one step, shown in place of the newest look's ALS and the
  /// masks' α; null: live. Of a run whose layers and heads are not the model's: left out.
  const std::shared_ptr<const HeadPoint>& recorded() const { return m_recorded; }
  void setRecorded(std::shared_ptr<const HeadPoint> point);
  /// And the picture that it recorded then, in place of the newest look; null: live. The token that
  /// looks is one whose rows were kept; live, it is again the one from before.
  const std::shared_ptr<const RecordedView>& recordedView() const { return m_recordedView; }
  void setRecordedView(std::shared_ptr<const RecordedView> view);
  /// ALS as recorded, else of the newest look.
  std::optional<float> locality(int layer, int head) const;
  /// α as recorded of a head that was soft then.
  std::optional<float> recordedAlpha(int layer, int head) const;
  /// α that a soft head has now: as recorded, else as the newest look's weights have learned it,
  /// before there is one as the open weights have. Nothing where the head is not soft.
  std::optional<float> alpha(int layer, int head) const;

  // The number that is shown of every head.
  const HeadNumbers& numbers() const { return m_numbers; }
  void setNumbers(const HeadNumbers& numbers);
  std::optional<double> number(int layer, int head) const;
  /// As a share of the scale of all heads, in [0, 1]: a bar's length.
  double numberShare(double value) const;
  /// What uniform attention would give in this layer.
  std::optional<double> numberChance(int layer) const;
  QString numberText(double value) const;
  /// "attention entropy, of this picture", "…, mean of 64 pictures".
  QString describeNumbers() const;

  // How alike layers look: of the picture, or averaged over a data set.
  const LayerNumbers& layerNumbers() const { return m_layerNumbers; }
  void setLayerNumbers(const LayerNumbers& numbers);

  const ViewOptions& view() const { return m_view; }
  /// Clamped to the model; viewChanged if different. Another query ends the following of a pointer,
  /// and is the one that stays.
  void setView(const ViewOptions& view);
  /// setView with a part of the present view changed.
  void changeView(const std::function<void(ViewOptions&)>& change);

  /// The token that looks while the pointer is over it. Nothing where one is pinned.
  void follow(int token);
  /// The pointer has left: the token from before looks again.
  void endFollowing();
  bool isFollowing() const { return m_followedFrom.has_value(); }
  /// This token looks, wherever the pointer is, until unpin().
  void pin(int token);
  void unpin();
  bool isPinned() const { return m_pinned; }
  /// The view without the pointer: what is kept in a session.
  ViewOptions steadyView() const;

  /// "layer 3 · head 1 · class token", "layer 3 · mean of heads · patch (4, 7)"; with the source
  /// note, if there is one.
  QString describeView() const;
  /// Whose weights are looked through when they are not a file's, or not all: "training weights",
  /// set by ModelWorker only, "random weights", "1 of the model's tensors random"; else empty.
  QString sourceNote() const;
  QString liveSourceNote() const;  ///< of liveLook(); sourceNote() of a recorded step says that
  /// The part of it that is about a training run: for the window's title. Empty: none is shown, nor
  /// goes on.
  QString runNote() const;
  void setSourceNote(const QString& note);
  /// While a run goes on whose weights are not looked through: "the open model, not run “a”".
  void setRunNote(const QString& note);
  QString describeToken(int token) const;
  /// How the colours were scaled: "scaled to this head: 0.001 to 0.12".
  QString describeRange(const ValueRange& range) const;

 Q_SIGNALS:
  void modelChanged();
  void imageChanged();
  void pictureChanged();                              ///< shownImage() is another
  void masksChanged();                                ///< after applyEdit or replaceMasks
  void editApplied(const headlight::MaskEdit& edit);  ///< done, undone or redone; then masksChanged
  void lookChanged();
  void viewChanged();
  void sourceNoteChanged();
  void recordedChanged();
  void numbersChanged();
  void layerNumbersChanged();
  void staleChanged();
  void referenceChanged();            ///< another is wanted, or its picture is there
  void message(const QString& text);  ///< for the status bar
  void failed(const QString& title, const QString& text);  ///< an error for the person

 private:
  void forgetReference();
  void showView(const ViewOptions& view);
  void lookFrom(int token);
  int keptToken(int token) const;
  int placedToken(int token) const;

  std::optional<ModelInfo> m_model;
  Image m_image;
  QString m_imageName, m_imagePath;
  MaskScheme m_masks, m_opened;  ///< as they are, and as the model came with them
  QUndoStack m_undoStack;
  std::shared_ptr<const InferenceResult> m_look, m_referenceLook;
  Reference m_reference = Reference::LastEdit;
  MaskScheme m_referenceOf;  ///< under which it was looked
  std::map<HeadPlace, QString> m_maskReasons;
  MaskScheme m_foundMasks;  ///< that the reasons are of
  std::optional<MaskScheme> m_beforeEdit, m_pinnedMasks;
  double m_editToPictureMs = -1;
  bool m_stale = false;
  std::shared_ptr<const HeadPoint> m_recorded;
  std::shared_ptr<const RecordedView> m_recordedView;
  int m_liveToken = 0;  ///< that looked before a recorded step was shown
  HeadNumbers m_numbers;
  LayerNumbers m_layerNumbers;
  double m_largestNumber = 1;  ///< of values that are no shares
  ViewOptions m_view;
  std::optional<int> m_followedFrom;  ///< the token that looked before the pointer came
  bool m_pinned = false;
  int m_stroke = -1, m_strokeOfBefore = -1;  ///< MaskCommand::kNoStroke
  QString m_sourceNote, m_runNote;
};

}  // namespace headlight
