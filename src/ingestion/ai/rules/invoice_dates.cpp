// invoice_dates.cpp — when an invoice was issued, and when it is to be paid.
#include <algorithm>
#include <array>

#include "ingestion/ai/rules/fold.hpp"
#include "ingestion/ai/rules/invoice_number.hpp"

namespace belay::ai::rules {
namespace {

enum Meaning { Issued = 1, Due = 2, Weak = 3, Neither = 4 };

constexpr auto kLabels = std::to_array<Label>({
    {"rechnungsdatum", Issued},
    {"belegdatum", Issued},
    {"ausstellungsdatum", Issued},
    {"datumderrechnung", Issued},
    {"invoicedate", Issued},
    {"dateofinvoice", Issued},
    {"issuedate", Issued},
    {"dateofissue", Issued},
    {"dateissued", Issued},
    {"issued", Issued},
    {"billdate", Issued},
    {"billingdate", Issued},
    {"fakturadatum", Issued},
    {"fakturadat", Issued},
    {"fakturadag", Issued},
    {"datedefacture", Issued},
    {"datedefacturation", Issued},
    {"datefacture", Issued},
    {"factuurdatum", Issued},
    {"fakturadato", Issued},
    {"fechadefactura", Issued},
    {"fechafactura", Issued},
    {"fechadeemision", Issued},
    {"datafattura", Issued},
    {"datadellafattura", Issued},
    {"laskunpaivays", Issued},
    {"documentdate", Issued},
    {"utstallandedatum", Issued},
    {"taxdate", Issued},
    {"invoicedt", Issued},
    {"rechnungvom", Issued},
    {"gutschriftsdatum", Issued},
    {"datedemission", Issued},
    {"invoicedated", Issued},
    {"rechdatum", Issued},
    {"datum", Weak},
    {"date", Weak},
    {"dated", Weak},
    {"falligkeit", Due},
    {"falligam", Due},
    {"falligkeitsdatum", Due},
    {"falligkeitstag", Due},
    {"zahlungsziel", Due},
    {"zahlbarbis", Due},
    {"zahlbarbiszum", Due},
    {"duedate", Due},
    {"paymentdue", Due},
    {"paymentduedate", Due},
    {"dueon", Due},
    {"dueby", Due},
    {"payby", Due},
    {"forfallodatum", Due},
    {"forfallodag", Due},
    {"forfaller", Due},
    {"betalasenast", Due},
    {"osstillhanda", Due},
    {"sistabetalningsdag", Due},
    {"datedecheance", Due},
    {"decheance", Due},
    {"echeance", Due},
    {"vervaldatum", Due},
    {"forfaldsdato", Due},
    {"forfallsdato", Due},
    {"betalingsfrist", Due},
    {"fechadevencimiento", Due},
    {"vencimiento", Due},
    {"datascadenza", Due},
    {"scadenza", Due},
    {"erapaiva", Due},
    {"uiterstebetaaldatum", Due},
    {"zahlungstermin", Due},
    {"due", Due},
    {"zahlbarab", Neither},
    {"nettobis", Due},
    {"bitteuberweisensiebiszum", Due},
    {"duedates", Due},
    {"falligkeiten", Neither},
    {"lieferdatum", Neither},
    {"leistungsdatum", Neither},
    {"lieferundleistungsdatum", Neither},
    {"deliverydate", Neither},
    {"orderdate", Neither},
    {"bestelldatum", Neither},
    {"auftragsdatum", Neither},
    {"auftragdatum", Neither},
    {"orderdatum", Neither},
    {"leveransdatum", Neither},
    {"lieferscheindatum", Neither},
    {"vertragsdatum", Neither},
    {"vertragdatum", Neither},
    {"abrechnungszeitraum", Neither},
    {"leistungszeitraum", Neither},
    {"rechnungszeitraum", Neither},
    {"dateoforder", Neither},
    {"shipdate", Neither},
    {"shippeddate", Neither},
    {"checkin", Neither},
    {"checkout", Neither},
    {"datedelivraison", Neither},
    {"datedecommande", Neither},
    {"period", Neither},
    {"auftragdatumlief", Neither},
    {"printdate", Neither},
    {"druckdatum", Neither},
    {"version", Neither},
    {"liefertermin", Neither},
    {"dateofsupply", Neither},
    {"taxpoint", Neither},
    {"sellerdate", Neither},
});

struct Candidate {
    Date date{};
    double score = 0;
    int page = 0;
    media::Box box{};
};

// The first date in a place that begins near the place's start.
std::optional<Candidate> date_in(const Document& document, const Place& place) {
    const auto words = document.words(place);
    for (const auto& at : find_dates(words, document.date_style)) {
        if (at.first > 3) return {};
        return Candidate{at.reading.date, at.reading.confidence, document.lines[place.line].page,
                         at.box};
    }
    return {};
}

bool is_title_line(const Line& line) {
    for (const auto& word : line.words) {
        const auto folded = fold_alnum(word.text);
        if (folded.ends_with("rechnung") || folded == "invoice" || folded == "faktura" ||
            folded == "facture" || folded == "gutschrift" || folded == "factuur" ||
            folded == "rechnungskorrektur" || folded == "avoir") {
            return true;
        }
    }
    return false;
}

// "Rechnung Nr. 17 vom 13.07.2018", also when the date is on the next line.
void from_titles(const Document& document, std::vector<Candidate>& issued) {
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        if (!is_title_line(line) || line.words.size() > 14) continue;
        // "… Nr. 17", and "vom 13.07.2018" at the beginning of the next line.
        if (has_digit(line.text()) && l + 1 < document.lines.size() &&
            document.lines[l + 1].page == line.page &&
            fold_alnum(document.lines[l + 1].words[0].text) == "vom" &&
            !document.dates[l + 1].empty() && document.dates[l + 1].front().first == 1) {
            const auto& at = document.dates[l + 1].front();
            issued.push_back({at.reading.date, 0.9 * at.reading.confidence, line.page, at.box});
        }
        for (std::size_t i = 1; i < line.words.size(); ++i) {
            const auto folded = fold_alnum(line.words[i].text);
            if (folded != "vom" && folded != "of" && folded != "du" && folded != "from" &&
                folded != "dated" && folded != "av" && folded != "den")
                continue;
            // It must be about a number: "Rechnung gemäß Fahrt vom …" dates something else.
            bool numbered = false;
            for (std::size_t k = 0; k < i; ++k)
                numbered = numbered || has_digit(line.words[k].text);
            if (!numbered) continue;
            for (const auto& at : document.dates[l]) {
                if (at.first == i + 1)
                    issued.push_back(
                        {at.reading.date, 0.95 * at.reading.confidence, line.page, at.box});
            }
            if (i + 1 == line.words.size() && l + 1 < document.lines.size() &&
                !document.dates[l + 1].empty() && document.dates[l + 1].front().first == 0) {
                const auto& at = document.dates[l + 1].front();
                issued.push_back(
                    {at.reading.date, 0.95 * at.reading.confidence, line.page, at.box});
            }
        }
    }
}

// A date alone in the upper part of the first page is the date of a letter.
void from_letterhead(const Document& document, std::vector<Candidate>& issued) {
    std::vector<Candidate> alone;
    for (std::size_t l = 0; l < document.lines.size(); ++l) {
        const auto& line = document.lines[l];
        if (line.page != document.first_page || line.box.y > 0.55 * document.page_height) continue;
        for (const auto& segment : segments_of(line, 1.6)) {
            for (const auto& at : document.dates[l]) {
                const auto before = at.first - std::min(at.first, segment.first);
                if (at.first < segment.first || at.first + at.count > segment.first + segment.count)
                    continue;
                const bool city_and_date = before >= 1 && before <= 3 &&
                                           at.first + at.count == segment.first + segment.count &&
                                           (line.words[at.first - 1].text.ends_with(',') ||
                                            fold_alnum(line.words[at.first - 1].text) == "den" ||
                                            fold_alnum(line.words[at.first - 1].text) == "the");
                const bool stands_alone = before == 0 && at.count == segment.count;
                if (!city_and_date && !stands_alone) continue;
                alone.push_back({at.reading.date, 0.6 * at.reading.confidence, line.page, at.box});
            }
        }
    }
    const bool one = std::all_of(alone.begin(), alone.end(),
                                 [&](const auto& c) { return c.date == alone.front().date; });
    if (!alone.empty() && one) issued.push_back(alone.front());
}

Found<Date> best_of(const std::vector<Candidate>& candidates) {
    const Candidate* best = nullptr;
    for (const auto& c : candidates) {
        if (best == nullptr || c.score > best->score) best = &c;
    }
    if (best == nullptr) return {};
    return {best->date, std::min(1.0, best->score), best->page, best->box};
}

}  // namespace

InvoiceDates read_invoice_dates(const Document& document) {
    std::vector<Candidate> issued, due;
    std::vector<media::Box> taken;
    const auto labels = find_labels(document.lines, kLabels);
    for (const auto& label : labels) {
        if (label.meaning == Neither) continue;
        // "Datum" as a word of prose, or the heading of a column of dates, is followed by no date.
        for (const auto& place :
             places_near(document.lines, label,
                         {.right_max = 30, .below_max = 2.5, .right_count = 1, .below_count = 1})) {
            // Another label between this one and the place owns what stands there.
            const bool owned = std::any_of(labels.begin(), labels.end(), [&](const LabelAt& other) {
                if (&other == &label || other.meaning == label.meaning) return false;
                if (!place.below && other.line == label.line)
                    return other.first > label.first && other.first <= place.segment.first;
                return place.below && other.line == place.line &&
                       overlap_x(other.box, place.segment.box) > 0.3 &&
                       other.box.x <= place.segment.box.x + 1;
            });
            if (owned) continue;
            auto date = date_in(document, place);
            if (!date) continue;
            double sure = label.meaning == Weak ? 0.75 : 0.97;
            if (!label.exact) sure *= 0.9;
            if (place.below) sure *= 0.92;
            date->score *= sure;
            date->score -= 0.03 * (date->page - document.first_page);
            (label.meaning == Due ? due : issued).push_back(*date);
            break;
        }
    }
    from_titles(document, issued);
    if (issued.empty()) from_letterhead(document, issued);
    InvoiceDates dates{best_of(issued), best_of(due)};
    // An invoice falls due on its day or later; a weak issue date that says otherwise is another date.
    if (dates.issued && dates.due && *dates.due < *dates.issued && dates.issued.confidence < 0.75)
        dates.issued = {};
    return dates;
}

}  // namespace belay::ai::rules
