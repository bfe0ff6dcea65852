// SPDX-License-Identifier: Apache-2.0
#include "base/config/cursor.hpp"

#include <algorithm>

#include <yaml-cpp/yaml.h>

#include "base/file/state_file.hpp"

namespace twinsite::base::config {

struct Document::State {
    std::string file;
    YAML::Node root;
    std::vector<Finding> findings;
    std::set<std::string> asked;
};

/// Shared by all copies of a cursor, so that `finish` sees what each of them asked.
struct Cursor::Place {
    std::shared_ptr<Document::State> state;
    std::optional<YAML::Node> node;  // nullopt: absent from the file
    YAML::Mark mark;
    std::string path;
    std::string pattern;  // the path with [] for every index
    std::vector<std::string> asked;
};

namespace {

std::string describe(const YAML::Node& node) {
    if (node.IsMap()) return "a map";
    if (node.IsSequence()) return "a list";
    if (node.IsNull()) return "nothing";
    return "'" + text::printable(node.Scalar()) + "'";
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
    const auto close = text::nearest(name, known);
    if (!close.empty()) return "; did you mean '" + text::join(close, "' or '") + "'?";
    constexpr std::size_t kFewEnoughToList = 12;
    if (known.empty() || known.size() > kFewEnoughToList) return "";
    return "; known: " + text::join(known, ", ");
}

}  // namespace

std::string to_string(const Finding& finding) {
    std::string out = finding.file + ":";
    if (finding.line > 0)
        out += std::to_string(finding.line) + ":" + std::to_string(finding.column) + ":";
    if (!finding.path.empty()) out += " " + finding.path + ":";
    return out + " " + finding.text;
}

Document Document::load(const std::string& file) {
    const auto text = file::read_state_file(file);
    if (text && *text) return parse(**text, file);
    const auto why =
        text ? make_error_code(boost::system::errc::no_such_file_or_directory) : text.error();
    auto state = std::make_shared<State>();
    state->file = file;
    state->findings.push_back({file, 0, 0, "", "cannot be read: " + why.message()});
    return Document(state);
}

Document Document::parse(const std::string& text, const std::string& name_of_file) {
    auto state = std::make_shared<State>();
    state->file = name_of_file;
    try {  // yaml-cpp reports broken input only by exceptions
        state->root = YAML::Load(text);
        if (!state->root.IsMap())
            state->findings.push_back(
                {name_of_file, 1, 1, "$", "must be a map of settings, not " + describe(state->root)}
            );
    } catch (const YAML::Exception& failure) {
        state->root = YAML::Node();
        state->findings.push_back(
            {name_of_file, failure.mark.line + 1, failure.mark.column + 1, "", failure.msg}
        );
    }
    return Document(state);
}

Cursor Document::root() const {
    auto place = std::make_shared<Cursor::Place>();
    place->state = state_;
    if (state_->root.IsMap()) place->node.emplace(state_->root);
    place->mark = state_->root.Mark();
    place->path = place->pattern = "$";
    return Cursor(place);
}

const std::vector<Finding>& Document::findings() const {
    return state_->findings;
}
const std::set<std::string>& Document::asked() const {
    return state_->asked;
}

bool Cursor::exists() const {
    return place_->node.has_value();
}
bool Cursor::is_map() const {
    return exists() && place_->node->IsMap();
}
bool Cursor::is_sequence() const {
    return exists() && place_->node->IsSequence();
}
const std::string& Cursor::path() const {
    return place_->path;
}

std::string Cursor::folder() const {
    const auto slash = place_->state->file.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : place_->state->file.substr(0, slash);
}

Cursor Cursor::step(std::string_view key) {
    auto next = std::make_shared<Place>();
    next->state = place_->state;
    next->path = place_->path + "." + std::string(key);
    next->pattern = place_->pattern + "." + std::string(key);
    next->mark = place_->mark;
    place_->asked.emplace_back(key);
    place_->state->asked.insert(next->pattern);
    if (is_map())
        for (const auto& entry : *place_->node)
            if (entry.first.IsScalar() && entry.first.Scalar() == key) {
                // emplace: assigning to a YAML::Node would change the document itself.
                next->node.emplace(entry.second);
                // An empty value has no place of its own: point at its key.
                next->mark = entry.second.IsNull() ? entry.first.Mark() : entry.second.Mark();
            }
    return Cursor(next);
}

Cursor Cursor::child(std::string_view key) {
    Cursor next = step(key);
    if (!next.exists() && exists()) {
        if (is_map())
            error("key '" + std::string(key) + "' is missing");
        else
            wrong_type("a map");
    }
    return next;
}

std::optional<Cursor> Cursor::find(std::string_view key) {
    Cursor next = step(key);
    if (next.exists()) return next;
    return std::nullopt;
}

std::vector<Cursor> Cursor::items() {
    std::vector<Cursor> out;
    if (!exists()) return out;
    if (!is_sequence()) {
        wrong_type("a list");
        return out;
    }
    for (const auto& node : *place_->node) {
        auto next = std::make_shared<Place>();
        next->state = place_->state;
        next->node.emplace(YAML::Node(node));
        next->mark = node.Mark();
        next->path = place_->path + "[" + std::to_string(out.size()) + "]";
        next->pattern = place_->pattern + "[]";
        out.push_back(Cursor(next));
    }
    return out;
}

std::vector<std::pair<std::string, Cursor>> Cursor::entries() {
    std::vector<std::pair<std::string, Cursor>> out;
    if (!exists()) return out;
    if (!is_map()) {
        wrong_type("a map");
        return out;
    }
    for (const auto& entry : *place_->node) {
        const auto key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
        out.emplace_back(key, step(key));
    }
    return out;
}

std::optional<std::string> Cursor::scalar() const {
    if (!exists() || !place_->node->IsScalar()) return std::nullopt;
    return place_->node->Scalar();
}

std::size_t Cursor::one_of(
    std::string_view key, const std::vector<std::string>& words, std::size_t fallback
) {
    auto at = find(key);
    if (!at) return fallback;
    const auto text = at->value<std::string>();
    const auto found = std::find(words.begin(), words.end(), text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    if (at->scalar())
        at->error(
            "must be one of " + text::join(words, ", ") + ", not '" + text::printable(text) + "'"
        );
    return fallback;
}

void Cursor::error(const std::string& text) const {
    auto& findings = place_->state->findings;
    constexpr std::size_t kMostFindings = 200;  // a wholly wrong file needs no longer list
    if (findings.size() >= kMostFindings) return;
    findings.push_back(
        {place_->state->file, place_->mark.line + 1, place_->mark.column + 1, place_->path, text}
    );
}

void Cursor::unknown(
    std::string_view what, std::string_view name, const std::vector<std::string>& known
) const {
    error(
        "unknown " + std::string(what) + " '" + text::printable(name) + "'" +
        suggestion(name, known)
    );
}

void Cursor::wrong_type(std::string_view expected) const {
    error("must be " + std::string(expected) + ", not " + describe(*place_->node));
}

void Cursor::wrong_value(std::string_view expected, const std::string& text) const {
    error("must be " + std::string(expected) + ", not '" + text::printable(text) + "'");
}

void Cursor::finish() const {
    if (!exists()) return;
    if (!is_map()) return wrong_type("a map");
    std::vector<std::string> seen;
    for (const auto& entry : *place_->node) {
        const auto key = entry.first.IsScalar() ? entry.first.Scalar() : describe(entry.first);
        auto at = std::make_shared<Place>(*place_);
        at->mark = entry.first.Mark();
        if (std::find(seen.begin(), seen.end(), key) != seen.end())
            Cursor(at).error("key '" + key + "' is given twice");
        else if (std::find(place_->asked.begin(), place_->asked.end(), key) == place_->asked.end())
            Cursor(at).unknown("key", key, place_->asked);
        seen.push_back(key);
    }
}

}  // namespace twinsite::base::config
