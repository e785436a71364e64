/** The names of the built-in patterns of redaction. */
const NAMES = `
api_key ar_cuil au_medicare au_tfn authorization be_national_number br_cpf ca_sin card_number
ch_ahv cl_rut cn_resident_id cookie credentials de_steuer_id dk_cpr email es_dni es_nie fi_hetu
fr_nir hk_id iban id_nik ie_pps il_id in_aadhaar in_pan ip_address it_codice_fiscale
jp_my_number jwt kr_rrn mx_curp my_nric nl_bsn no_fodselsnummer passport phone_number pl_pesel
private_key pt_nif ro_cnp ru_snils se_personnummer secret sg_nric th_id tr_kimlik tw_id uk_nino
us_itin us_ssn za_id
`;

/** What the built-in patterns leave in a text in place of what they found, such as `[EMAIL]` (spec 4.9, "Redaction in detail"). */
export const REDACTION_MARKS: readonly string[] = NAMES.trim()
  .split(/\s+/)
  .map((name) => `[${name.toUpperCase()}]`);
